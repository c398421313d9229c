/**
 * Reads the embedded event store of a stopped service for the exact count: every row in the order of the log, the links, the vocabulary. Its argument is the
 * data directory; it tells its parent and ends.
 */
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded.js'
import type { StoredLinkKeys, StoredRow } from './system.js'

export type FromReader =
  | { readonly kind: 'rows'; readonly rows: readonly StoredRow[] }
  | { readonly kind: 'links'; readonly links: readonly StoredLinkKeys[] }
  | {
      readonly kind: 'end'
      readonly vocabulary: readonly { readonly event: string; readonly count: number }[]
    }

const RECORDS = 5_000

const clickhouse = await openEmbeddedClickHouse({
  path: join(process.argv[2] ?? '', 'clickhouse'),
  readers: 1,
})
try {
  const { rows: partitions } = await clickhouse.query<{ partition: number; end: number }>(
    'SELECT log_partition AS partition, max(log_offset) + 1 AS end FROM events GROUP BY partition ORDER BY partition',
  )
  for (const { partition, end } of partitions)
    for (let from = 0; from < end; from += RECORDS) {
      const { rows } = await clickhouse.query<StoredRow>(
        `SELECT log_partition AS partition, log_offset AS offset, request_index AS index,
          toUnixTimestamp64Milli(received_at) AS receivedAt, toUnixTimestamp64Milli(events.timestamp) AS timestamp,
          original_timestamp AS originalTimestamp, has_timestamp AS hasTimestamp, adjustment, event, user_id AS userId,
          anonymous_id AS anonymousId, insert_id AS insertId, sdk_version AS sdkVersion, properties
        FROM events
        WHERE log_partition = {partition:UInt16} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}
        ORDER BY log_offset, request_index`,
        { params: { partition, from, to: from + RECORDS } },
      )
      await tell({ kind: 'rows', rows })
    }
  const links = await clickhouse.query<StoredLinkKeys>(
    'SELECT DISTINCT toString(anonymous_key) AS anonymousKey, toString(user_key) AS userKey FROM identity_links',
  )
  await tell({ kind: 'links', links: links.rows })
  const vocabulary = await clickhouse.query<{ event: string; count: number }>(
    'SELECT event, sum(count) AS count FROM event_names GROUP BY event',
  )
  await tell({ kind: 'end', vocabulary: vocabulary.rows })
} finally {
  await clickhouse.close()
}
process.disconnect()

function tell(message: FromReader): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })
}
