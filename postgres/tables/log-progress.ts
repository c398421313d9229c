import type { Sql } from '../driver/client.js'

/** How far one event partition of a log is stored. */
export interface PartitionProgress {
  readonly logId: string
  readonly partition: number
  /** Everything below is stored. */
  readonly doneOffset: number
  /**
   * Up to here, from `doneOffset`, a block is being stored and may be stored already. Null if there is none.
   */
  readonly openTo: number | null
  /** Everything received before is stored. Null if the partition was never read. */
  readonly watermark: Date | null
  readonly drained: boolean
  readonly logCreatedAt: Date
}

/** The event partitions of every log that is not drained, or was not two hours ago, in one snapshot. */
export async function eventProgress(sql: Sql): Promise<readonly PartitionProgress[]> {
  return sql<PartitionProgress[]>`
    select l.id as "logId", partition::integer, coalesce(p.done_offset, 0)::float8 as "doneOffset",
      p.open_to::float8 as "openTo", r.received_through as "watermark",
      l.drained_at is not null as drained, l.created_at as "logCreatedAt"
    from logs l cross join generate_series(0, l.partitions - 1) as partition
    left join log_partitions p on p.log_id = l.id and p.log_partition = partition
    left join log_receipts r on r.log_id = l.id and r.log_partition = partition
    where l.drained_at is null or l.drained_at > clock_timestamp() - interval '2 hours'
    order by l.id, partition`
}

/** How many events of a log have been stored, dropped as duplicates or kept as dead letters. */
export async function settledEvents(sql: Sql, logId: string): Promise<number> {
  const [row] = await sql<{ events: number }[]>`
    select coalesce(sum(total_stored + total_duplicates + total_dead + open_stored + open_duplicates + open_dead), 0)::float8
      as events
    from log_partitions p join logs l on l.id = p.log_id
    where l.id = ${logId} and p.log_partition < l.partitions`
  return row?.events ?? 0
}

/** The tokens of all blocks and replays that may be in the event store in part, or not yet. */
export async function openTokens(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ token: string }[]>`
    select open_token as token from log_partitions where open_token is not null
    union all select distinct replay_token from dead_letters
    where replay_id is not null and replay_token is not null`
  return rows.map(({ token }) => token)
}
