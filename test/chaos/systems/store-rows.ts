import type { ClickHouse } from '../../../clickhouse/port.js'
import type { StoredLinkKeys, StoredRow } from './system.js'

export interface StoreParts {
  readonly links: readonly StoredLinkKeys[]
  readonly vocabulary: readonly { readonly event: string; readonly count: number }[]
}

/** Log offsets of one question; those of Kafka have gaps. */
const OFFSETS = 5_000

/**
 * Reads the event store for the exact count: every row in the order of the log, then the links and the
 * vocabulary.
 */
export async function readStoreRows(
  clickhouse: ClickHouse,
  give: (rows: readonly StoredRow[]) => void | Promise<void>,
): Promise<StoreParts> {
  const { rows: partitions } = await clickhouse.query<{ partition: number; end: number }>(
    'SELECT log_partition AS partition, max(log_offset) + 1 AS end FROM events GROUP BY partition ORDER BY partition',
  )
  for (const { partition, end } of partitions)
    for (let from = 0; from < end; from += OFFSETS) {
      const { rows } = await clickhouse.query<StoredRow>(
        `SELECT log_partition AS partition, log_offset AS offset, request_index AS index,
          toUnixTimestamp64Milli(received_at) AS receivedAt, toUnixTimestamp64Milli(events.timestamp) AS timestamp,
          original_timestamp AS originalTimestamp, has_timestamp AS hasTimestamp, adjustment, event, user_id AS userId,
          anonymous_id AS anonymousId, insert_id AS insertId, sdk_version AS sdkVersion, properties
        FROM events
        WHERE log_partition = {partition:UInt16} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}
        ORDER BY log_offset, request_index`,
        { params: { partition, from, to: from + OFFSETS } },
      )
      await give(rows)
    }
  const links = await clickhouse.query<StoredLinkKeys>(
    'SELECT DISTINCT toString(anonymous_key) AS anonymousKey, toString(user_key) AS userKey FROM identity_links',
  )
  const vocabulary = await clickhouse.query<{ event: string; count: number }>(
    'SELECT event, sum(count) AS count FROM event_names GROUP BY event',
  )
  return { links: links.rows, vocabulary: vocabulary.rows }
}
