/**
 * Reads the embedded event store of a stopped service for the exact count: every row in the order of the log,
 * the links, the vocabulary. Its argument is the data directory; it tells its parent and ends.
 */
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { readStoreRows } from './store-rows.js'
import type { StoredLinkKeys, StoredRow } from './system.js'

export type FromReader =
  | { readonly kind: 'rows'; readonly rows: readonly StoredRow[] }
  | { readonly kind: 'links'; readonly links: readonly StoredLinkKeys[] }
  | {
      readonly kind: 'end'
      readonly vocabulary: readonly { readonly event: string; readonly count: number }[]
    }

const clickhouse = await openEmbeddedClickHouse({
  path: join(process.argv[2] ?? '', 'clickhouse'),
  readers: 1,
})
try {
  const { links, vocabulary } = await readStoreRows(clickhouse, (rows) => tell({ kind: 'rows', rows }))
  await tell({ kind: 'links', links })
  await tell({ kind: 'end', vocabulary })
} finally {
  await clickhouse.close()
}
process.disconnect()

function tell(message: FromReader): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })
}
