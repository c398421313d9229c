import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ChildOptions } from './crash-child.js'

const CHILD = fileURLToPath(new URL('./crash-child.js', import.meta.url))

/** Starts consumers in their own process, and reports how it ended: a signal, or its exit code. */
export function startCrashChild(options: ChildOptions): {
  readonly child: ChildProcess
  readonly ended: Promise<string>
} {
  const child = fork(CHILD, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? String(code))),
  )
  return { child, ended }
}
