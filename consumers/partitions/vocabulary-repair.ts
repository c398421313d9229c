import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from '../../clickhouse/port.js'
import { shardsOf } from '../../clickhouse/shards.js'
import type { RecordRange } from './checkpoint.js'

export const ROWS_IN_RANGE = `(SELECT * FROM events WHERE log_id = {logId:UUID} AND log_partition = {logPartition:UInt32}
  AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64})`

const SAME_NAMES = `(workspace_id, event) IN (SELECT workspace_id, event FROM ${ROWS_IN_RANGE})`

/** The names of those rows as the table counts them, and how far the vocabulary differs. */
const DIFFERENCES = `
  SELECT workspace_id, event, stored.count - known.count AS count, first_seen, last_seen, first_received, last_received
  FROM (
    SELECT workspace_id, event, count() AS count, min(timestamp) AS first_seen, max(timestamp) AS last_seen,
      min(received_at) AS first_received, max(received_at) AS last_received
    FROM events WHERE ${SAME_NAMES} GROUP BY workspace_id, event
  ) AS stored
  LEFT JOIN (
    SELECT workspace_id, event, sum(count) AS count FROM event_names WHERE ${SAME_NAMES} GROUP BY workspace_id, event
  ) AS known USING (workspace_id, event)
  WHERE stored.count != known.count`

const MAX_ATTEMPTS = 20
const PAUSE_MS = 500

/**
 * Counts the names of some rows again if the vocabulary may lack them. On a server another insert may be
 * between the table and the vocabulary; the next attempt corrects that. Negative differences are added too,
 * because 64-bit sums wrap around. The embedded engine needs one attempt only.
 *
 * @throws Error if other writers never pause
 */
export async function repairVocabulary(clickhouse: ClickHouse, places: RecordRange): Promise<void> {
  // Each shard counts the names of its rows.
  for (const shard of shardsOf(clickhouse)) await repairVocabularyOfShard(shard, places)
}

async function repairVocabularyOfShard(clickhouse: ClickHouse, places: RecordRange): Promise<void> {
  const options = { params: { ...places }, settings: { insert_deduplicate: 0 } }
  for (let time = 0; time < MAX_ATTEMPTS; time++) {
    if (time > 0) await sleep(PAUSE_MS)
    const { rows } = await clickhouse.query(DIFFERENCES, { ...options, settings: {}, readYourWrites: true })
    if (rows.length === 0) return
    await clickhouse.command(
      `INSERT INTO event_names (workspace_id, event, count, first_seen, last_seen, first_received, last_received) ${DIFFERENCES}`,
      options,
    )
    if (clickhouse.schema.kind === 'embedded') return
  }
  throw new Error('other writers never paused: the vocabulary may count some names short')
}
