import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import type { Sql } from './client.js'

/** Ending to listen is a courtesy: the connection is closed after it in any case. */
const UNLISTEN_MS = 500

export interface Announcements {
  /** Settles when Postgres listens, or has refused to. Never rejects. */
  readonly begun: Promise<void>
  /** Ends to listen; waits half a second at most, and never rejects. */
  stop(): Promise<void>
}

/**
 * Hears what is announced on a channel. A connection that is lost is made again by itself, and what was announced meanwhile is missed: so announcements
 * make something happen sooner, and nothing rests on them.
 *
 * @param options.without what a log line says where it cannot listen, as `changes of keys are not announced`
 * @param options.listening called whenever it begins to hear, also after a lost connection
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
