import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../runtime/backoff.js'
import type { Logger } from '../../runtime/logger.js'
import type { Sql } from './client.js'
import { listenTo } from './listen.js'

const MAX_POLLS = 4
const PAUSES = { initialIntervalMs: 250, maxIntervalMs: 4_000 } as const

export interface NotifiedPoller {
  /** There is work. */
  poke(): void
  /** Finishes what it is at and ends. */
  stop(): Promise<void>
}

export interface NotifiedPollerOptions {
  readonly sql: Sql
  readonly logger: Logger
  /** Where Postgres announces that there is work. */
  readonly channel: string
  /**
   * Between two looks where nobody announced any, four times as long in the end while there is none. Polling makes up for a connection that is lost, so a failure to listen only costs time.
   */
  readonly pollMs: number
  /** One round. Resolves to whether there may be more at once, or something that has to wait, or nothing. */
  tick(signal: AbortSignal): Promise<'more' | 'waiting' | 'nothing'>
  /** A round failed, and is tried again after a pause that grows to four seconds. */
  onError(error: unknown, pauseMs: number): void | Promise<void>
}

/** Does rounds of work whenever some is announced, until it is stopped. */
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
    /** Rounds in a row, up to four, that found nothing. */
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
        await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => {})
        continue
      }
      if (!poked && !stopped.signal.aborted) await pause(options.pollMs * quiet)
    }
  }

  function pause(ms: number): Promise<void> {
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
    without: 'work is found by polling only',
    heard: poke,
  })

  return {
    poke,
    async stop() {
      stopped.abort()
      // Also where it is between its last look and the pause.
      poke()
      await running
      await announcements.stop()
    },
  }
}
