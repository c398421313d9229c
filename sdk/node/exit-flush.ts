import { spawnSync } from 'node:child_process'
import { isMainThread } from 'node:worker_threads'

/** How long the end of the process may take for all clients. */
const EXIT_MS = 5_000

/** For a process that ends without time for asynchronous work. */
export interface Leftover {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly requests: readonly { readonly path: string; readonly body: string }[]
}

interface Flushable {
  hurry(): void
  flush(ms: number): Promise<boolean>
  close(ms: number): Promise<boolean>
  unsettled(withSpool: boolean): number
  leftover(): Leftover
  giveUp(): void
}

interface Registry {
  readonly clients: Set<Flushable>
  /** The end of the time at exit; undefined before it begins. */
  exitBy: number | undefined
}

/** One for the process, although a program may load the package twice, as ESM and as CommonJS. */
const KEY = Symbol.for('svc-events.exit-flush')

/** The client's events are sent when the process ends or gets SIGTERM. */
export function flushAtExit(client: Flushable): void {
  const global = globalThis as { [KEY]?: Registry }
  if (global[KEY] === undefined) {
    global[KEY] = { clients: new Set(), exitBy: undefined }
    listen(global[KEY])
  }
  global[KEY].clients.add(client)
}

export function forgetAtExit(client: Flushable): void {
  ;(globalThis as { [KEY]?: Registry })[KEY]?.clients.delete(client)
}

function listen(registry: Registry): void {
  const { clients } = registry
  const timeLeft = (): number => {
    registry.exitBy ??= Date.now() + EXIT_MS
    return Math.max(0, registry.exitBy - Date.now())
  }
  // Nothing else keeps the process alive. It is emitted again after each flush.
  process.on('beforeExit', () => {
    if (![...clients].some((client) => client.unsettled(true) > 0)) return
    const left = timeLeft()
    if (left === 0) return
    for (const client of clients) {
      client.hurry()
      void client.flush(left)
    }
  })
  process.on('exit', () => {
    for (const client of clients) {
      if (client.unsettled(false) === 0) continue
      if (!sendSynchronously(client.leftover(), timeLeft())) client.giveUp()
    }
  })
  if (!isMainThread) return
  const onSigterm = async (): Promise<void> => {
    // Programs with a listener end by themselves, and may track more until then.
    if (countOtherListeners() > 0) {
      for (const client of clients) void client.flush(EXIT_MS)
      return
    }
    const left = timeLeft()
    await Promise.all([...clients].map((client) => client.close(left)))
    process.removeListener('SIGTERM', onSigterm)
    process.kill(process.pid, 'SIGTERM')
  }
  process.on('SIGTERM', onSigterm)
}

/** Without those of `signal-exit`, which many packages load: it acts only if no other listens. */
function countOtherListeners(): number {
  const { [Symbol.for('signal-exit emitter')]: current, __signal_exit_emitter__: old } =
    process as unknown as {
      [name: string | symbol]: { count?: number } | undefined
    }
  return process.listenerCount('SIGTERM') - 1 - (current?.count ?? 0) - (old?.count ?? 0)
}

/** `process.exit` leaves no time for asynchronous work, so another process sends. */
const SENDER = `
const { url, headers, requests, until } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const post = async ({ path, body }) => {
  for (;;) {
    const left = until - Date.now()
    if (left <= 0) process.exit(1)
    try {
      const signal = AbortSignal.timeout(left)
      const { status } = await fetch(url + path, { method: 'POST', headers, body, redirect: 'manual', signal })
      if (status === 202) return
      if (status === 400) process.exit(1)
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 50 + 200 * Math.random()))
  }
}
;(async () => { for (const request of requests) await post(request) })()`

/** False if svc may not have all of it. */
function sendSynchronously(leftover: Leftover, ms: number): boolean {
  if (ms <= 0) return false
  const { status } = spawnSync(process.execPath, ['-e', SENDER], {
    input: JSON.stringify({ ...leftover, until: Date.now() + ms }),
    timeout: ms,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  })
  return status === 0
}
