import { type CommandError, refusedError } from './command-error.js'
import type { Context } from './context.js'
import { startProgress } from './render/progress.js'

/** Short at first, since most work is short. */
const INITIAL_POLL_MS = 500
const MAX_POLL_MS = 5_000
const DEFAULT_TIMEOUT_SECONDS = 600

export interface PollOptions<T> {
  /** Such as `generating proposals`. */
  readonly what: string
  /** @default 600 */
  readonly timeoutSeconds: number | undefined
  /** The command that looks again later. */
  readonly retryCommand: string
  readonly poll: (signal: AbortSignal) => Promise<T>
  readonly isDone: (value: T) => boolean
  readonly describe: (value: T) => string
}

/**
 * Polls until the work is done, with a spinner on a terminal and a line for each change elsewhere.
 *
 * @throws CommandError after the timeout and on ^C; the work itself goes on
 */
export async function pollUntilDone<T>(context: Context, options: PollOptions<T>): Promise<T> {
  const { what, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, retryCommand, poll, isDone, describe } = options
  const interrupted = context.interruptSignal()
  const end = context.now() + timeoutSeconds * 1_000
  const progress = startProgress(context.terminal, context.now)
  const giveUp = (reason: string, code: string): CommandError =>
    refusedError(`${what}: ${reason}, and goes on`, code, [`look again: ${retryCommand}`])
  let text = what
  try {
    for (let pause = INITIAL_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 1.4)) {
      progress.show(text)
      const value = await poll(interrupted)
      text = `${what}: ${describe(value)}`
      progress.show(text)
      if (isDone(value)) return value
      const left = end - context.now()
      if (left <= 0) throw giveUp(`not over after ${timeoutSeconds} s`, 'TIMEOUT')
      await context.sleep(Math.min(pause, left), interrupted)
    }
  } catch (error) {
    throw interrupted.aborted ? giveUp('no longer watched', 'INTERRUPTED') : error
  } finally {
    progress.end()
  }
}
