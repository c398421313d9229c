import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../postgres/driver/client.js'
import type { Logger } from '../../runtime/logger.js'
import { within } from '../../runtime/within.js'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000
/** Ending to listen is a courtesy: the connection is closed after it in any case. */
const UNLISTEN_MS = 500

export interface AnnouncedWork {
  /** There is work. */
  poke(): void
  /** Finishes what it is at and ends. */
  stop(): Promise<void>
}

export interface AnnouncedWorkOptions {
  readonly sql: Sql
  readonly logger: Logger
  /** Where Postgres announces that there is work. */
  readonly channel: string
  /** Between two looks where nobody announced any. Polling makes up for a connection that is lost, so a failure to listen only costs time. */
  readonly pollMs: number
  /** One round. Resolves to whether there may be more at once. */
  round(signal: AbortSignal): Promise<boolean>
  /** A round failed, and is tried again after a pause that grows to four seconds. */
  failed(error: unknown, pauseMs: number): void | Promise<void>
}

/** Does rounds of work whenever some is announced, until it is stopped. */
export function startAnnouncedWork(options: AnnouncedWorkOptions): AnnouncedWork {
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
    while (!stopped.signal.aborted) {
      poked = false
      try {
        const more = await options.round(stopped.signal)
        failures = 0
        if (more) continue
      } catch (error) {
        const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++)
        await options.failed(error, pauseMs)
        await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => {})
        continue
      }
      if (!poked && !stopped.signal.aborted) await pause(options.pollMs)
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
  const listening = sql.listen(channel, poke).catch((error: unknown) => {
    logger.warn({ err: error, channel }, 'work is found by polling only')
    return undefined
  })

  return {
    poke,
    async stop() {
      stopped.abort()
      // Also where it is between its last look and the pause.
      poke()
      await running
      const unlisten = async () => (await listening)?.unlisten()
      await within(UNLISTEN_MS, 'Postgres, ending to listen', unlisten()).catch(() => {})
    },
  }
}
