import type { Context } from './context.js'
import { CommandFailure, EXIT } from './failure.js'
import { progressOf } from './render/progress.js'

/** How often is asked, in milliseconds: often at first, since most work is short. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

export interface Waiting<T> {
  /** What is waited for, as in `waiting for …`. */
  readonly what: string
  readonly timeoutSeconds: number
  /** How to look again later. */
  readonly again: string
  readonly ask: (signal: AbortSignal) => Promise<T>
  readonly isOver: (value: T) => boolean
  /** Where it stands, in a few words. */
  readonly state: (value: T) => string
}

/**
 * Asks until it is over. Shows a spinner where somebody watches, else a line at each change. The work goes on without this: after the time, and after ^C, the
 * command ends with 1 and says how to look again.
 */
export async function waitUntil<T>(context: Context, waiting: Waiting<T>): Promise<T> {
  const { what, timeoutSeconds, again, ask, isOver, state } = waiting
  const interrupted = context.interrupted()
  const end = context.now() + timeoutSeconds * 1_000
  const progress = progressOf(context.terminal, context.now)
  let said = what
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.4)) {
      progress.show(said)
      const value = await ask(interrupted)
      said = `${what}: ${state(value)}`
      progress.show(said)
      if (isOver(value)) return value
      const left = end - context.now()
      if (left <= 0)
        throw new CommandFailure(
          EXIT.refused,
          `${what}: not over after ${timeoutSeconds} s, and goes on`,
          'TIMEOUT',
          [`look again: ${again}`],
        )
      await context.sleep(Math.min(pause, left), interrupted)
    }
  } catch (error) {
    if (!interrupted.aborted) throw error
    throw new CommandFailure(EXIT.refused, `${what}: no longer watched, and goes on`, 'INTERRUPTED', [
      `look again: ${again}`,
    ])
  } finally {
    progress.end()
  }
}
