import { SCOPES } from '../../domain/key.js'
import { type HttpResponse, sendRequest } from '../client/transport.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { printJson } from '../output.js'
import { startProgress } from '../render/progress.js'
import { formatDuration } from '../render/terminal-style.js'
import { type Check, renderChecks } from './checks.js'
import { checkRoundTrip } from './round-trip.js'

const TIMEOUT_MS = 10_000
/** Events are corrected from two seconds on. */
const CLOCK_TOLERANCE_MS = 2_000

/** Looks at everything between this client and the service, one after the other, and says what to do about what is wrong. Throws where something is. */
export async function doctor(context: Context, options: CommonOptions): Promise<void> {
  const { terminal } = context
  const checks: Check[] = []
  const progress = startProgress(
    terminal.isInteractive ? terminal : { ...terminal, err: () => {} },
    context.now,
  )
  try {
    for (const examine of [checkAddress, checkKey, checkReadiness, checkRoundTrip]) {
      progress.show(`looking at ${examine.name.replace(/^check/, '').toLowerCase()}`)
      const found = await examine(context).catch(asChecks)
      checks.push(...found)
      // Without an address or a key nothing else can be seen.
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

function asChecks(error: unknown): Check[] {
  if (!(error instanceof CommandError)) throw error
  const fix = error.details.find((line) => line.startsWith('try: '))?.slice(5) ?? ''
  const code = error.exitCode === EXIT.unauthenticated ? 'key' : 'address'
  return [{ code, ok: false, message: error.message, fix }]
}

/** Whether somebody answers at the address, how far the clocks are apart, and which version serves. */
async function checkAddress(context: Context): Promise<Check[]> {
  const { apiUrl, urlSource: urlFrom } = context.connection()
  const startedAt = context.now()
  let answer: HttpResponse
  try {
    answer = await request(context, 'HEAD', '/reference/openapi.json')
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || String('code' in error && error.code) : String(error)
    return [
      {
        code: 'address',
        ok: false,
        message: `${apiUrl} (${urlFrom}) cannot be reached: ${reason}`,
        fix: 'Start the service (npm start), or set SVC_API_URL to where it is',
      },
    ]
  }
  const endedAt = context.now()
  const serves = answer.status === 200 && answer.headers['x-request-id'] !== undefined
  const address: Check = serves
    ? {
        code: 'address',
        ok: true,
        message: `${apiUrl} (${urlFrom}) answers in ${formatDuration(endedAt - startedAt)}`,
        fix: '',
      }
    : {
        code: 'address',
        ok: false,
        message: `${apiUrl} (${urlFrom}) answers, and is no svc (HTTP ${answer.status})`,
        fix: 'Set SVC_API_URL to the address of the management API; it is not the one for sending events',
      }
  if (!serves) return [address]
  return [address, clockCheck(answer, startedAt, endedAt), await versionCheck(context)]
}

function clockCheck(answer: HttpResponse, startedAt: number, endedAt: number): Check {
  const theirs = clockOf(answer)
  if (theirs === undefined)
    return { code: 'clock', ok: true, message: 'The service does not tell its time', fix: '' }
  const ahead = theirs < startedAt ? theirs - startedAt : theirs > endedAt ? theirs - endedAt : 0
  const ok = Math.abs(ahead) <= CLOCK_TOLERANCE_MS
  const message =
    Math.abs(ahead) < 100
      ? 'The clocks of this machine and the service agree'
      : `The clock of the service is ${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} this one`
  return { code: 'clock', ok, message, fix: ok ? '' : 'Let both machines keep their time by NTP' }
}

/** Milliseconds since 1970: request ids are UUIDv7, which begin with the time they were made. */
function clockOf(answer: HttpResponse): number | undefined {
  const id = answer.headers['x-request-id'] ?? ''
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)) return undefined
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** The service names its version by the client it serves. */
async function versionCheck(context: Context): Promise<Check> {
  const answer = await request(context, 'HEAD', '/reference/svc.tgz')
  const theirs = /svc-([0-9][^"]*)\.tgz/.exec(answer.headers['content-disposition'] ?? '')?.[1]
  const ours = context.version
  const { apiUrl } = context.connection()
  if (theirs === undefined)
    return {
      code: 'version',
      ok: true,
      message: `This is svc ${ours}; the service serves no client`,
      fix: '',
    }
  const ok = theirs === ours
  return {
    code: 'version',
    ok,
    message: ok ? `Client and service are svc ${ours}` : `This is svc ${ours}, and the service is ${theirs}`,
    fix: ok ? '' : `Use the client of the service: npx ${apiUrl}/reference/svc.tgz`,
  }
}

/** Whose key it is, and what it may write. A key that may not write everything is no fault. */
async function checkKey(context: Context): Promise<Check[]> {
  const { body: me } = await (await context.api()).call('getMe', {})
  const { keySource: keyFrom } = context.connection()
  if (me.key === null)
    return [
      {
        code: 'key',
        ok: true,
        message: `The session of ${me.person.name} in ${me.workspace.name} (${keyFrom})`,
        fix: '',
      },
    ]
  const lacks = SCOPES.filter((scope) => !me.key?.scopes.includes(scope))
  const may =
    lacks.length === 0
      ? 'may write everything'
      : me.key.scopes.length === 0
        ? 'may write nothing'
        : `may write ${me.key.scopes.join(', ')}`
  return [
    {
      code: 'key',
      ok: true,
      message: `${me.key.name} (${keyFrom}) opens ${me.workspace.name}, acts as ${me.person.name} and ${may}`,
      fix: '',
    },
  ]
}

async function checkReadiness(context: Context): Promise<Check[]> {
  const { body } = await (await context.api()).call('getReadiness', {})
  return [...body.checks]
}

function request(context: Context, method: string, path: string): Promise<HttpResponse> {
  return sendRequest({
    method,
    url: new URL(`${context.connection().apiUrl}${path}`),
    headers: {},
    timeoutMs: TIMEOUT_MS,
  })
}
