import { backoffMs } from '../../runtime/backoff.js'
import { pause } from '../../runtime/concurrency/pause.js'
import type { Logger } from '../../runtime/logger.js'
import type { Sql } from './client.js'
import { listenTo } from './listen.js'

const MAX_POLLS = 4
const PAUSES = { initialIntervalMs: 250, maxIntervalMs: 4_000 } as const

export interface NotifiedPoller {
  /** Tells that there is work. */
  poke(): void
  /** Finishes the current tick, then ends. */
  stop(): Promise<void>
}

export interface NotifiedPollerOptions {
  readonly sql: Sql
  readonly logger: Logger
  /** Postgres notifies it when there is work. */
  readonly channel: string
  /**
   * Milliseconds between two ticks without a notification, growing to four times as long while there is no
   * work. Polling makes up for a lost connection, so a failure to listen only costs time.
   */
  readonly pollMs: number
  /**
   * Does one round of work. Resolves with `more` if the next may follow at once, `waiting` if something has
   * to wait.
   */
  tick(signal: AbortSignal): Promise<'more' | 'waiting' | 'nothing'>
  /** A tick failed. It is repeated after a pause, which grows to four seconds. */
  onError(error: unknown, pauseMs: number): void | Promise<void>
}

/** Calls `tick` whenever there may be work, until it is stopped. */
export function pollOnNotify(options: NotifiedPollerOptions): NotifiedPoller {
  const { sql, logger, channel } = options
  const stopped = new AbortController()
  let wake = (): void => {}
  let poked = false
  const poke = (): void => {
    poked = true
    wake()
  }

  async function run(): Promise<void> {
    let failures = 0
    /** Consecutive ticks without work, up to four. */
    let quiet = 0
    while (!stopped.signal.aborted) {
      poked = false
      try {
        const left = await options.tick(stopped.signal)
        failures = 0
        quiet = left === 'nothing' && !poked ? Math.min(quiet + 1, MAX_POLLS) : 1
        if (left === 'more') continue
      } catch (error) {
        const pauseMs = backoffMs(PAUSES, failures++)
        await options.onError(error, pauseMs)
        await pause(pauseMs, stopped.signal)
        continue
      }
      if (!poked && !stopped.signal.aborted) await waitForPoke(options.pollMs * quiet)
    }
  }

  function waitForPoke(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const running = run()
  const announcements = listenTo(sql, channel, {
    logger,
    without: 'Cannot listen: work is found by polling only',
    heard: poke,
  })

  return {
    poke,
    async stop() {
      stopped.abort()
      // Wakes it also between its last tick and the pause.
      poke()
      await running
      await announcements.stop()
    },
  }
}
