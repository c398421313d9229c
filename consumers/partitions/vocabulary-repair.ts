import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from '../../clickhouse/port.js'
import { NAME_COLUMNS } from '../../clickhouse/removal.js'
import { shardsOf } from '../../clickhouse/shards.js'
import type { Sql } from '../../postgres/driver/client.js'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { RECEIVED, type RowRange } from './inserted-rows.js'

const IN_RANGE = `log_id = {logId:UUID} AND log_partition = {logPartition:UInt32}
  AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64} AND ${RECEIVED}`
export const ROWS_IN_RANGE = `(SELECT * FROM events WHERE ${IN_RANGE})`

const SAME_NAMES = `(workspace_id, event) IN (SELECT workspace_id, event FROM ${ROWS_IN_RANGE})`

/** The counts of the vocabulary for these names. */
const WITH_KNOWN = `LEFT JOIN (
    SELECT workspace_id, event, sum(count) AS count FROM event_names WHERE ${SAME_NAMES} GROUP BY workspace_id, event
  ) AS known USING (workspace_id, event)`

/** The names of those rows as the table counts them, and how far the vocabulary differs. */
const DIFFERENCES = `
  SELECT workspace_id, event, stored.count - known.count AS count, first_seen, last_seen, first_received, last_received
  FROM (
    SELECT workspace_id, event, count() AS count, min(timestamp) AS first_seen, max(timestamp) AS last_seen,
      min(received_at) AS first_received, max(received_at) AS last_received
    FROM events WHERE ${SAME_NAMES} GROUP BY workspace_id, event
  ) AS stored
  ${WITH_KNOWN}
  WHERE stored.count != known.count`

/** By name: how many of those rows the vocabulary lacks at most. */
const LACKING = `
  SELECT concat(toString(workspace_id), event) AS name, greatest(least(toInt64(mine), stored.count - known.count), 0) AS lacking
  FROM (
    SELECT workspace_id, event, count() AS count, countIf(${IN_RANGE}) AS mine
    FROM events WHERE ${SAME_NAMES} GROUP BY workspace_id, event
  ) AS stored
  ${WITH_KNOWN}
  WHERE lacking > 0`

const READINGS = 10
const PAUSE_MS = 300

/** One repair of a process waits for those of other processes, and the others for their turn. */
const turns = new SerialQueue()

/**
 * Counts the names of some rows again if the vocabulary may lack them. One at a time among all processes:
 * two that find the same difference would both add it.
 */
export function repairVocabulary(
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  places: RowRange,
): Promise<void> {
  return turns.run(() =>
    sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('vocabulary repair', 0))`
      await repairOnEachShard(clickhouse, places)
    }),
  )
}

async function repairOnEachShard(clickhouse: ClickHouse, places: RowRange): Promise<void> {
  for (const shard of shardsOf(clickhouse))
    if (shard.schema.kind === 'server') await repairOnServer(shard, places)
    // One statement in the lane of inserts, so that no other block is between the table and the vocabulary.
    else
      await shard.command(`INSERT INTO event_names (${NAME_COLUMNS}) ${DIFFERENCES}`, {
        params: { ...places },
        settings: { insert_deduplicate: 0 },
      })
}

/**
 * Rows of other inserts may be in the table and not yet in the vocabulary, so each reading is the number of
 * rows that it lacks or more. The least of several is added, once: a correction by a later reading would have
 * to undo an earlier one, and the counts would drift.
 */
async function repairOnServer(shard: ClickHouse, places: RowRange): Promise<void> {
  let least: ReadonlyMap<string, number> | undefined
  for (let reading = 0; reading < READINGS && least?.size !== 0; reading++) {
    if (reading > 0) await sleep(PAUSE_MS)
    const { rows } = await shard.query<{ name: string; lacking: number }>(LACKING, {
      params: { ...places },
      readYourWrites: true,
    })
    const before = least
    least = new Map(
      rows
        .filter(({ name }) => before?.has(name) ?? true)
        .map(({ name, lacking }) => [name, Math.min(lacking, before?.get(name) ?? lacking)]),
    )
  }
  if (least === undefined || least.size === 0) return
  await shard.command(
    `INSERT INTO event_names (${NAME_COLUMNS})
     SELECT workspace_id, event, {counts:Array(UInt64)}[indexOf({names:Array(String)}, concat(toString(workspace_id), event))],
       min(timestamp), max(timestamp), min(received_at), max(received_at)
     FROM ${ROWS_IN_RANGE} WHERE concat(toString(workspace_id), event) IN {names:Array(String)} GROUP BY workspace_id, event`,
    {
      params: { ...places, names: [...least.keys()], counts: [...least.values()] },
      settings: { insert_deduplicate: 0 },
    },
  )
}
