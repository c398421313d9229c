import type { Sql } from '../../postgres/driver/client.js'
import { addRefusedLinks } from '../../postgres/tables/refused-links.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'

const WRITE_EVERY_MS = 2_000
const WRITE_TIMEOUT_MS = 1_500

/** Events by workspace that made no link because of a placeholder id. Written off the request path. */
export class PlaceholderCounts {
  private counts = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: { readonly sql: Sql; readonly logger: Logger }) {}

  add(workspaceId: string, events: number): void {
    this.counts.set(workspaceId, (this.counts.get(workspaceId) ?? 0) + events)
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref()
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer)
    await this.write()
  }

  private async write(): Promise<void> {
    this.timer = undefined
    const { counts } = this
    this.counts = new Map()
    try {
      const written = addRefusedLinks(this.options.sql, 'placeholder', counts)
      await withTimeout(WRITE_TIMEOUT_MS, 'Postgres, counting placeholder ids', written)
    } catch (error) {
      // They are a hint for people: a few may be missing.
      this.options.logger.debug({ error: errorMessage(error) }, 'Placeholder ids not counted')
    }
  }
}
