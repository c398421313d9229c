import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageRoot } from '../../runtime/package-root.js'
import { killGroup, startProgram } from './program.js'

export interface DevKeys {
  readonly workspaceId: string
  readonly apiKey: string
  readonly readOnlyKey: string
  readonly serverKey: string
  readonly publishableKey: string
  readonly sessionToken: string
}

export interface RunningService {
  readonly api: string
  readonly ingest: string
  readonly admin: string
  readonly keys: DevKeys
  readonly dataDir: string
  readonly process: ChildProcess
  /** Standard output and error so far. */
  output(): string
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /**
   * Kills the whole program at the same time with SIGKILL: main, gateways and Postgres, as a power cut would.
   */
  kill(): Promise<void>
}

/** The real program on embedded stores in a child process, on free ports. */
export async function startService(
  dataDir: string,
  options: {
    readonly env?: Record<string, string>
    readonly logLevel?: string
    /** Another compiled `start/main.js` than the one of these tests. */
    readonly program?: string | undefined
  } = {},
): Promise<RunningService> {
  const program = await startProgram(
    options.program ?? join(packageRoot(), compiledRoot(), 'start/main.js'),
    {
      SVC_DATA_DIR: dataDir,
      SVC_API_PORT: '0',
      SVC_INGEST_PORT: '0',
      SVC_ADMIN_PORT: '0',
      SVC_LOG_LEVEL: options.logLevel ?? 'warn',
      ...options.env,
    },
  )
  const { process: child, exited, output, part } = program
  return {
    api: part('api'),
    ingest: part('ingest'),
    admin: part('admin'),
    keys: readDevKeys(dataDir),
    dataDir,
    process: child,
    output,
    stop: async () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      killGroup(child)
      await exited
      // The gateway leaves when its parent is gone; a fresh start must not meet it.
      await sleep(50)
    },
  }
}

export function readDevKeys(folder: string): DevKeys {
  return JSON.parse(readFileSync(join(folder, 'dev-keys.json'), 'utf8')) as DevKeys
}

export function temporaryDataDir(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'svc-e2e-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** `dist`, or wherever this file was compiled to. */
export function compiledRoot(): string {
  const here = new URL('../..', import.meta.url).pathname
  return here.slice(packageRoot().length + 1)
}

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** One JSON request with a key. */
export async function call<Body = Record<string, unknown>>(
  key: string | undefined,
  method: string,
  url: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? null : JSON.parse(text)) as Body,
  }
}

/** Repeats a call for up to half a minute while the answer is 503, which means that nothing was done. */
export function callAgain<Body = Record<string, unknown>>(
  key: string | undefined,
  method: string,
  url: () => string,
  body?: unknown,
): Promise<Answer<Body>> {
  return until(
    () => call<Body>(key, method, url(), body),
    ({ status }) => status !== 503,
    30,
  )
}

/** Asks until the answer satisfies, at most for some seconds; the last answer is returned either way. */
export async function until<T>(
  ask: () => Promise<T>,
  satisfied: (value: T) => boolean,
  seconds = 150,
): Promise<T> {
  const end = Date.now() + seconds * 1_000
  for (;;) {
    const value = await ask()
    if (satisfied(value) || Date.now() > end) return value
    await sleep(30)
  }
}

/** Stored events of a name, from the vocabulary. */
export async function countOf(api: string, key: string, name: string): Promise<number> {
  const { body } = await call<{ data: { eventName: string; count: number }[] }>(
    key,
    'GET',
    `${api}/v1/funnel/events`,
  )
  return body.data.find(({ eventName }) => eventName === name)?.count ?? 0
}

/** Events stored in the workspace, from the vocabulary. */
export async function storedEvents(
  service: Pick<RunningService, 'api' | 'keys'>,
  key = service.keys.apiKey,
): Promise<number> {
  const path = `${service.api}/v1/funnel/events?limit=10000`
  const { body } = await call<{ data: { count: number }[] }>(key, 'GET', path)
  return body.data.reduce((sum, { count }) => sum + count, 0)
}

export const helpdeskFile = join(packageRoot(), '..', 'shared', 'data', 'helpdesk.ndjson.gz')
export const hasHelpdeskFile = (): boolean => existsSync(helpdeskFile)
