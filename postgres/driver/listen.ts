import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import type { Sql } from './client.js'

/** The connection is closed afterwards in any case. */
const UNLISTEN_MS = 500

export interface Announcements {
  /** Settles when Postgres listens, or has refused to. Never rejects. */
  readonly begun: Promise<void>
  /** Stops listening, within half a second. Never rejects. */
  stop(): Promise<void>
}

/**
 * Listens to a channel. After a lost connection it listens again, and misses what was notified meanwhile: so
 * a notification may only make something happen sooner.
 *
 * @param options.without log message if it cannot listen, for example `Changes of keys are not announced`
 * @param options.listening called each time it begins to listen, also after a lost connection
 */
export function listenTo(
  sql: Sql,
  channel: string,
  options: {
    readonly logger: Pick<Logger, 'warn'>
    readonly without: string
    readonly heard: (payload: string) => void
    readonly listening?: () => void
  },
): Announcements {
  const subscription = sql.listen(channel, options.heard, options.listening).catch((error: unknown) => {
    options.logger.warn({ err: error, channel }, options.without)
    return undefined
  })
  return {
    begun: subscription.then(() => {}),
    async stop() {
      const unlisten = async () => (await subscription)?.unlisten()
      // The connection ends with the process, and its subscription with it.
      await withTimeout(UNLISTEN_MS, 'Postgres, ending to listen', unlisten()).catch(() => {})
    },
  }
}
