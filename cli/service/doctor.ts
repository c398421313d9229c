import { SCOPES } from '../../domain/key.js'
import { formatDuration } from '../../domain/text/format.js'
import { errorReason } from '../../runtime/errors.js'
import { serverVersion } from '../client/server-version.js'
import { type HttpResponse, sendRequest } from '../client/transport.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { printJson } from '../output.js'
import { type CheckResult, failed, passed, renderChecks } from '../render/checks.js'
import { printAnswer } from '../render/page.js'
import { startProgress } from '../render/progress.js'
import { colorize } from '../render/terminal-style.js'
import { checkRecentEvents } from './recent-events.js'
import { checkRoundTrip } from './round-trip.js'

const TIMEOUT_MS = 10_000
const AGREEING_CLOCKS_MS = 100
/** The times of events are corrected from two seconds on. */
const CLOCK_TOLERANCE_MS = 2_000

/** Exits 0 even if something is missing. */
export async function showReadiness(context: Context, options: CommonOptions): Promise<void> {
  const answer = await (await context.api()).call('getReadiness', {})
  await printAnswer(context, options, answer, (style, { checks, canGenerate, canRun, ingestUrl }) => {
    const can = (yes: boolean): string => colorize(style, yes ? 'green' : 'red', yes ? 'can' : 'cannot')
    return [
      renderChecks(style, checks),
      `\nThe workspace ${can(canGenerate)} generate proposals,\nand it ${can(canRun)} run experiments.\n`,
      ingestUrl === null ? '' : `Events go to ${ingestUrl}.\n`,
    ].join('')
  })
}

/** Checks everything between this client and the service. Throws CommandError if a check fails. */
export async function doctor(context: Context, options: CommonOptions): Promise<void> {
  const { terminal } = context
  const checks: CheckResult[] = []
  const progress = startProgress(
    terminal.isInteractive ? terminal : { ...terminal, err: () => {} },
    context.now,
  )
  try {
    for (const examine of [checkAddress, checkKey, checkReadiness, checkRecentEvents, checkRoundTrip]) {
      progress.show(
        `looking at ${examine.name
          .replace(/^check/, '')
          .replace(/\B[A-Z]/g, ' $&')
          .toLowerCase()}`,
      )
      const found = await examine(context).catch(asChecks)
      checks.push(...found)
      // Without address or key no other check can work.
      if (found.some(({ code, ok }) => !ok && (code === 'address' || code === 'key'))) break
    }
  } finally {
    progress.end()
  }
  const wrong = checks.filter(({ ok }) => !ok)
  if (options.json) printJson(terminal, { ok: wrong.length === 0, checks })
  else terminal.out(renderChecks(context.style(), checks))
  if (wrong.length > 0) {
    const unauthenticated = wrong.some(({ code }) => code === 'key')
    throw new CommandError(
      unauthenticated ? EXIT.unauthenticated : EXIT.refused,
      wrong.length === 1 ? 'one thing is wrong' : `${wrong.length} things are wrong`,
    )
  }
}

function asChecks(error: unknown): CheckResult[] {
  if (!(error instanceof CommandError)) throw error
  const fix = error.details.find((line) => line.startsWith('try: '))?.slice(5) ?? ''
  return [failed(error.exitCode === EXIT.unauthenticated ? 'key' : 'address', error.message, fix)]
}

async function checkAddress(context: Context): Promise<CheckResult[]> {
  const { apiUrl, urlSource } = context.connection()
  const place = `${apiUrl} (${urlSource})`
  const startedAt = context.now()
  let response: HttpResponse
  try {
    response = await request(context, 'HEAD', '/reference/openapi.json')
  } catch (error) {
    const reason = (error instanceof Error && error.message) || errorReason(error)
    const fix = 'Start the service (npm start), or set SVC_API_URL to its address'
    return [failed('address', `${place} cannot be reached: ${reason}`, fix)]
  }
  const endedAt = context.now()
  if (response.status !== 200 || response.headers['x-request-id'] === undefined)
    return [
      failed(
        'address',
        `${place} answers, but is not svc (HTTP ${response.status})`,
        'Set SVC_API_URL to the address of the management API; it is not the one for sending events',
      ),
    ]
  return [
    passed('address', `${place} answers in ${formatDuration(endedAt - startedAt)}`),
    checkClock(response, startedAt, endedAt),
    await checkVersion(context),
  ]
}

function checkClock(response: HttpResponse, startedAt: number, endedAt: number): CheckResult {
  const theirs = serverTime(response)
  if (theirs === undefined) return passed('clock', 'The service does not send its time')
  const ahead = theirs < startedAt ? theirs - startedAt : theirs > endedAt ? theirs - endedAt : 0
  const distance = Math.abs(ahead)
  if (distance < AGREEING_CLOCKS_MS)
    return passed('clock', 'The clocks of this machine and the service agree')
  const message = `The clock of the service is ${formatDuration(distance)} ${ahead > 0 ? 'ahead of' : 'behind'} this one`
  return distance <= CLOCK_TOLERANCE_MS
    ? passed('clock', message)
    : failed('clock', message, 'Let both machines keep their time by NTP')
}

/** Milliseconds since 1970, from the request id: a UUIDv7 begins with its time. */
function serverTime(response: HttpResponse): number | undefined {
  const id = response.headers['x-request-id'] ?? ''
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)) return undefined
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

async function checkVersion(context: Context): Promise<CheckResult> {
  const theirs = await serverVersion(context.connection().apiUrl)
  const ours = context.version
  if (theirs === undefined) return passed('version', `This is svc ${ours}; the service serves no client`)
  if (theirs === ours) return passed('version', `Client and service are svc ${ours}`)
  const fix = `Use the client of the service: npx ${context.connection().apiUrl}/reference/svc.tgz`
  return failed('version', `This is svc ${ours}, and the service is ${theirs}`, fix)
}

async function checkKey(context: Context): Promise<CheckResult[]> {
  const { key, person, workspace } = (await (await context.api()).call('getMe', {})).body
  const { keySource } = context.connection()
  if (key === null)
    return [passed('key', `The session of ${person.name} in ${workspace.name} (${keySource})`)]
  const scopes = key.scopes.length === SCOPES.length ? 'everything' : key.scopes.join(', ') || 'nothing'
  return [
    passed(
      'key',
      `${key.name} (${keySource}) opens ${workspace.name}, acts as ${person.name} and may write ${scopes}`,
    ),
  ]
}

async function checkReadiness(context: Context): Promise<CheckResult[]> {
  const { body } = await (await context.api()).call('getReadiness', {})
  return [...body.checks, ...linkChecks(body.refusedLinks)]
}

/** Refused links are told and fail nothing: a shared browser contradicts a link, without anyone's fault. */
function linkChecks(
  refused: { placeholder: number; contradicted: number } | null | undefined,
): CheckResult[] {
  // A service of an earlier version does not count them.
  if (refused == null) return []
  const { placeholder, contradicted } = refused
  if (placeholder + contradicted === 0) return [passed('links', 'No link was refused in the last seven days')]
  return [
    passed(
      'links',
      `Events of the last seven days that made no link: ${placeholder} with a placeholder such as "null" or "undefined" as an id, ${contradicted} with an anonymous id of another user`,
    ),
  ]
}

function request(context: Context, method: string, path: string): Promise<HttpResponse> {
  const url = new URL(`${context.connection().apiUrl}${path}`)
  return sendRequest({ method, url, headers: {}, timeoutMs: TIMEOUT_MS })
}
