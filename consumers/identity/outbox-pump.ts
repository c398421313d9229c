import type { ClickHouse } from '../../clickhouse/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { type NotifiedPoller, pollOnNotify } from '../../postgres/driver/notified-poller.js'
import { deleteFromOutbox, LINK_CHANNEL, readOutbox } from '../../postgres/tables/identity-links.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import type { FaultPoint } from '../partitions/fault-point.js'

const BATCH_ROWS = 10_000

export interface OutboxDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Logger
  readonly faultPoint: FaultPoint
  /** Milliseconds between two polls without a notification. */
  readonly pollMs: number
  readonly postgresMs: number
}

/** Moves links from Postgres to ClickHouse: read, write, delete. Crashes and two pumps only repeat writes. */
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
    onError: (error, pauseMs) =>
      logger.warn({ err: error, pauseMs }, 'Moving links to ClickHouse failed; they wait in the outbox'),
  })
}

export async function pumpBatch(deps: OutboxDependencies): Promise<number> {
  const { sql, clickhouse, postgresMs } = deps
  const links = await withTimeout(postgresMs, 'Postgres, reading the outbox', readOutbox(sql, BATCH_ROWS))
  if (links.length === 0) return 0
  const rows = links.map(({ workspaceId, anonymousKey, userKey }) => ({
    workspaceId,
    anonymousKey: BigInt(anonymousKey),
    userKey: BigInt(userKey),
  }))
  await withTimeout(postgresMs, 'ClickHouse, writing links', clickhouse.insertLinks(rows))
  await deps.faultPoint('outbox:written')
  await withTimeout(postgresMs, 'Postgres, emptying the outbox', deleteFromOutbox(sql, links))
  return links.length
}
