import type { ClickHouse } from '../../clickhouse/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { type NotifiedPoller, pollOnNotify } from '../../postgres/driver/notified-poller.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import type { FaultPoint } from '../operations/fault-point.js'

/** Announced by whoever writes outbox rows, so that links are known to queries without waiting for the next look. */
export const LINK_CHANNEL = 'svc_links'

const BATCH_ROWS = 10_000

export interface OutboxDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Logger
  readonly faultPoint: FaultPoint
  /** Between two looks at the outbox where nobody announced anything. */
  readonly pollMs: number
  readonly timeoutMs: number
}

interface OutboxRow {
  id: string
  workspace_id: string
  anonymous_key: string
  user_key: string
}

/**
 * Carries links from Postgres to ClickHouse: read, write, then delete. Writing is idempotent, so a crash in between repeats the write, and two
 * pumps do each other no harm.
 */
export function startOutboxPump(deps: OutboxDependencies): NotifiedPoller {
  const { sql, logger, pollMs } = deps
  return pollOnNotify({
    sql,
    logger,
    pollMs,
    channel: LINK_CHANNEL,
    async tick() {
      const links = await pumpBatch(deps)
      if (links === BATCH_ROWS) return 'more'
      return links > 0 ? 'waiting' : 'nothing'
    },
    onError: (error, pauseMs) => logger.warn({ err: error, pauseMs }, 'links wait in the outbox'),
  })
}

/** Carries one batch over. Returns its size. */
export async function pumpBatch(deps: OutboxDependencies): Promise<number> {
  const { sql, clickhouse, timeoutMs } = deps
  const rows = await withTimeout(
    timeoutMs,
    'Postgres, reading the outbox',
    sql<OutboxRow[]>`
      select id, workspace_id, anonymous_key, user_key from link_outbox order by id limit ${BATCH_ROWS}`,
  )
  if (rows.length === 0) return 0
  await withTimeout(
    timeoutMs,
    'ClickHouse, writing links',
    clickhouse.insertLinks(
      rows.map((row) => ({
        workspaceId: row.workspace_id,
        anonymousKey: BigInt(row.anonymous_key),
        userKey: BigInt(row.user_key),
      })),
    ),
  )
  await deps.faultPoint('outbox:written')
  await withTimeout(
    timeoutMs,
    'Postgres, emptying the outbox',
    sql`delete from link_outbox where id = any(${rows.map((row) => row.id)}::bigint[])`,
  )
  return rows.length
}
