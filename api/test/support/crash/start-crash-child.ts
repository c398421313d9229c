import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CrashChildOptions } from './crash-child.js'

const CHILD = fileURLToPath(new URL('./crash-child.js', import.meta.url))

export interface CrashChild {
  readonly process: ChildProcess
  readonly url: string
  /** Exit code and signal, once it has ended. */
  readonly exited: Promise<unknown[]>
}

/** A management API process that kills itself, or is killed with the test. */
export async function startCrashChild(
  test: { teardown(fn: () => unknown): unknown },
  options: CrashChildOptions,
): Promise<CrashChild> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  test.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const ended = exited.then(() => {
    throw new Error('the process ended before it was ready')
  })
  ended.catch(() => {})
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
  return { process: child, url: line.toString().trim(), exited }
}
