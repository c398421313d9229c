import type { Sql } from '../../postgres/driver/client.js'
import { type Announcements, listenTo } from '../../postgres/driver/listen.js'
import { ERASURE_CHANNEL, erasedPersonKeys } from '../../postgres/tables/erasures.js'
import type { Logger } from '../../runtime/logger.js'
import type { LinkedKeys } from './append.js'

const RETRY_MS = 1_000

/** Keeps the keys of erased persons current, whose links must go into the log again. */
export class ErasedLinks {
  private readonly announcements: Announcements
  private retry: NodeJS.Timeout | undefined
  private stopped = false

  constructor(
    private readonly options: {
      readonly sql: Sql
      readonly linked: LinkedKeys
      readonly logger: Pick<Logger, 'warn'>
    },
  ) {
    const load = (): void => void this.load()
    this.announcements = listenTo(options.sql, ERASURE_CHANNEL, {
      logger: options.logger,
      without: 'Erasures are not announced: links of erased persons who come back may be missing',
      heard: load,
      listening: load,
    })
  }

  stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.retry)
    return this.announcements.stop()
  }

  private async load(): Promise<void> {
    try {
      const keys = await erasedPersonKeys(this.options.sql)
      this.options.linked.setErased(new Set(keys.map((key) => BigInt(key))))
    } catch {
      // Postgres is away, which readiness reports: it is asked again.
      clearTimeout(this.retry)
      if (!this.stopped) this.retry = setTimeout(() => void this.load(), RETRY_MS)
    }
  }
}
