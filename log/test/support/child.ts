import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Child {
  readonly process: ChildProcessWithoutNullStreams
  /** The whole lines it has written so far. */
  readonly lines: string[]
  /** Resolves when it is gone. */
  readonly gone: Promise<void>
  /** Resolves when it has written a line that equals the text; rejects when it ends before. */
  wrote(line: string): Promise<void>
}

/** Runs writer.ts in its own process; `shell` wraps the command, for limits. */
export function startWriter(args: readonly string[], shell?: string): Child {
  const script = fileURLToPath(new URL('./writer.js', import.meta.url))
  const child =
    shell === undefined
      ? spawn(process.execPath, [script, ...args])
      : spawn('/bin/sh', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, script, ...args])
  const lines: string[] = []
  const errors: string[] = []
  child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  const gone = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(() => undefined)
  return {
    process: child,
    lines,
    gone,
    wrote: async (line) => {
      while (!lines.includes(line)) {
        const more = once(reader, 'line')
        const ended = gone.then(() => {
          if (!lines.includes(line)) throw new Error(`the writer ended without ${line}: ${errors.join('')}`)
        })
        await Promise.race([more, ended])
      }
    },
  }
}
