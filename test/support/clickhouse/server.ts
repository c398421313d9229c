import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '../network/free-port.js'

/**
 * A ClickHouse server in a separate process (see http.ts). A test can kill, freeze and restart it on its
 * stored data.
 */
export interface ClickHouseServer {
  /** `http://user@host:port`, without a database; the same after every start. */
  readonly url: string
  /** Undefined while it does not run. */
  readonly pid: number | undefined
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** Starts it again if it does not run. */
  start(): Promise<void>
}

const START_LIMIT_MS = 60_000

/** Serves the store in `folder`, which stays the caller's. */
export async function startClickHouseServer(folder: string): Promise<ClickHouseServer> {
  mkdirSync(folder, { recursive: true })
  const ownPort = await freePort()
  let child: ChildProcess | undefined
  let url = ''
  const start = async (): Promise<void> => {
    if (child !== undefined) return
    const port = String(ownPort)
    const started = fork(fileURLToPath(new URL('./program.js', import.meta.url)), [folder, port], {
      // Each request of the engine waits on a thread.
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child = started
    url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => {
        started.kill('SIGKILL')
        reject(new Error(`the ClickHouse server in ${folder} is not ready after ${START_LIMIT_MS} ms`))
      }, START_LIMIT_MS)
      started.once('message', (message) => {
        clearTimeout(late)
        resolve(String(message))
      })
      started.once('exit', (code, signal) => {
        if (child === started) child = undefined
        clearTimeout(late)
        reject(
          new Error(`the ClickHouse server in ${folder} ended with ${signal ?? code} before it was ready`),
        )
      })
    })
  }
  await start()
  return {
    get url() {
      return url
    },
    get pid() {
      return child?.pid
    },
    async kill() {
      const ending = child
      if (ending === undefined) return
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      ending.kill('SIGKILL')
      await ended
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    start,
  }
}
