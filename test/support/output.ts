import type { ChildProcess } from 'node:child_process'

/** Output of a child process so far, and how it ended. */
export interface Output {
  readonly out: string
  readonly err: string
  /** Resolves with its exit code, null after a signal, when it has ended and all it said has come. */
  readonly ended: Promise<number | null>
}

/** Collects the output of a child from its start on. A stream that is not piped stays empty. */
export function outputOf(child: ChildProcess): Output {
  const said = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return Object.assign(said, { ended })
}
