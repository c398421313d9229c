import { CommandError, EXIT } from './command-error.js'
import type { Context } from './context.js'
import { startProgress } from './render/progress.js'

/** How often is asked, in milliseconds: often at first, since most work is short. */
const INITIAL_POLL_MS = 500
const MAX_POLL_MS = 5_000

export interface WaitOptions<T> {
  /** What is waited for, as in `waiting for …`. */
  readonly what: string
  readonly timeoutSeconds: number
  /** How to look again later. */
  readonly retryCommand: string
  readonly poll: (signal: AbortSignal) => Promise<T>
  readonly isDone: (value: T) => boolean
  /** Where it stands, in a few words. */
  readonly describe: (value: T) => string
}

/**
 * Asks until it is over. Shows a spinner where somebody watches, else a line at each change. The work goes on without this: after the time, and after ^C, the
 * command ends with 1 and says how to look again.
 */
export async function waitUntil<T>(context: Context, waiting: WaitOptions<T>): Promise<T> {
  const { what, timeoutSeconds, retryCommand: again, poll: ask, isDone: isOver, describe: state } = waiting
  const interrupted = context.interruptSignal()
  const end = context.now() + timeoutSeconds * 1_000
  const progress = startProgress(context.terminal, context.now)
  let said = what
  try {
    for (let pause = INITIAL_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 1.4)) {
      progress.show(said)
      const value = await ask(interrupted)
      said = `${what}: ${state(value)}`
      progress.show(said)
      if (isOver(value)) return value
      const left = end - context.now()
      if (left <= 0)
        throw new CommandError(
          EXIT.refused,
          `${what}: not over after ${timeoutSeconds} s, and goes on`,
          'TIMEOUT',
          [`look again: ${again}`],
        )
      await context.sleep(Math.min(pause, left), interrupted)
    }
  } catch (error) {
    if (!interrupted.aborted) throw error
    throw new CommandError(EXIT.refused, `${what}: no longer watched, and goes on`, 'INTERRUPTED', [
      `look again: ${again}`,
    ])
  } finally {
    progress.end()
  }
}
