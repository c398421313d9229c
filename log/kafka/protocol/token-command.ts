import { spawn } from 'node:child_process'
import { TimeoutError, withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { environmentOfPrograms } from '../../../runtime/config.js'
import { errorCode, errorMessage } from '../../../runtime/errors.js'
import { LogError, type LogLogger, LogUnavailableError } from '../../port.js'

export interface AccessToken {
  readonly value: string
  /** Milliseconds since 1970. Undefined if neither the token nor the program names it. */
  readonly expiresAt: number | undefined
  /** SASL extensions, which some brokers need to find the identity provider. */
  readonly extensions: Readonly<Record<string, string>>
}

const COMMAND_MS = 10_000
const MAX_OUTPUT = 2 ** 20
const MAX_STDERR = 500
const VARIABLE = 'SVC_KAFKA_TOKEN_COMMAND'
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * Runs the program that prints an access token: alone, or in JSON as `access_token` with `expires_in`
 * (seconds) and `extensions`. Its environment has no variables of svc, because they hold other secrets.
 *
 * @throws LogUnavailableError if it fails, LogError `denied` if it cannot work. No message has the token
 */
export async function runTokenCommand(
  command: readonly string[],
  logger: LogLogger | undefined,
): Promise<AccessToken> {
  const name = `the program of ${VARIABLE}`
  const startedAt = Date.now()
  const { code, out, err } = await runProgram(command).catch((error: unknown) => {
    if (error instanceof TimeoutError)
      throw new LogUnavailableError(`${name} did not end within ${COMMAND_MS / 1_000} s`, { cause: error })
    const reason = errorCode(error) ?? errorMessage(error)
    throw new LogError('denied', `${name} cannot be started: ${command[0]} (${reason})`, { cause: error })
  })
  const printed = out.trim()
  const stderr = withoutTokens(err.trim(), printed).slice(-MAX_STDERR)
  if (code !== 0)
    throw new LogUnavailableError(`${name} failed with ${code}${stderr === '' ? '' : `: ${stderr}`}`)
  if (stderr !== '') logger?.info({ stderr }, 'The token command printed to stderr')
  if (printed === '') throw new LogError('denied', `${name} printed nothing to stdout`)
  const token = parseOutput(printed, startedAt)
  if (token === undefined)
    throw new LogError('denied', `${name} printed neither a token nor JSON with access_token`)
  if (token.expiresAt !== undefined && token.expiresAt <= Date.now())
    throw new LogUnavailableError(
      `${name} printed a token that expired at ${new Date(token.expiresAt).toISOString()}`,
    )
  return token
}

interface ProgramEnd {
  /** Exit code, or the name of the signal. */
  readonly code: number | string
  readonly out: string
  readonly err: string
}

async function runProgram([file = '', ...args]: readonly string[]): Promise<ProgramEnd> {
  const env = environmentOfPrograms()
  // A process group, so that the time limit also ends what the program has started.
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const output = { out: '', err: '' }
  const collect = (stream: 'out' | 'err') => (text: string) => {
    output[stream] = (output[stream] + text).slice(0, MAX_OUTPUT)
  }
  child.stdout.setEncoding('utf8').on('data', collect('out'))
  child.stderr.setEncoding('utf8').on('data', collect('err'))
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'no code', ...output }))
  })
  return withTimeout(COMMAND_MS, file, ended, () => {
    if (child.pid !== undefined) endGroup(child.pid)
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

function parseOutput(printed: string, startedAt: number): AccessToken | undefined {
  if (!printed.startsWith('{'))
    return TOKEN.test(printed) ? { value: printed, expiresAt: expiryOf(printed), extensions: {} } : undefined
  const answer = parseObject(printed)
  const { access_token: value, expires_in: seconds, extensions } = answer
  if (typeof value !== 'string' || !TOKEN.test(value)) return undefined
  const lifeMs = Number(seconds) * 1_000
  const expiresAt = expiryOf(value) ?? (lifeMs > 0 ? startedAt + lifeMs : undefined)
  return { value, expiresAt, extensions: textsOf(extensions) }
}

/** The `exp` of a JWT. Undefined for other tokens. */
function expiryOf(token: string): number | undefined {
  const [, claims, signature] = token.split('.')
  if (claims === undefined || signature === undefined) return undefined
  const { exp } = parseObject(Buffer.from(claims, 'base64url').toString())
  return typeof exp === 'number' ? exp * 1_000 : undefined
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(json)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    // Not JSON: the caller then misses the fields that it looks for.
    return {}
  }
}

function textsOf(extensions: unknown): Record<string, string> {
  const entries = Object.entries(Object(extensions) as Record<string, unknown>)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** For messages: without what the program printed to stdout, and without anything that looks like a JWT. */
function withoutTokens(text: string, printed: string): string {
  const words = printed.match(/[A-Za-z0-9._~+/=-]{16,}/g) ?? []
  return words
    .reduce((left, word) => left.replaceAll(word, '[token]'), text)
    .replace(/\beyJ[\w-]+\.[\w.-]+/g, '[token]')
}
