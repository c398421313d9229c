import type { Sql, Transaction } from '../driver/client.js'

/** A reader's knowledge of a partition of the log. Times in milliseconds, by the clocks of the gateways. */
export interface Watermark {
  readonly partition: number
  /** Everything received before is stored. */
  readonly watermark: number
  /** Receipt of the oldest known record that is not stored; null if there is none. */
  readonly waitingSince: number | null
}

/** As `Watermark`, for a log that is not drained. Null if the partition was never read. */
export interface PublishedWatermark {
  readonly logId: string
  readonly partition: number
  /** Everything below is stored. */
  readonly doneOffset: number
  readonly watermark: Date | null
  readonly waitingSince: Date | null
  /** Since the last publication; null if there was none. */
  readonly silentSeconds: number | null
  readonly logCreatedAt: Date
}

/** Publishes watermarks. They never go back, so a late publication of an earlier owner does no harm. */
export async function publishWatermarks(
  sql: Sql,
  logId: string,
  watermarks: readonly Watermark[],
): Promise<void> {
  if (watermarks.length === 0) return
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  await sql`
    insert into log_receipts as r (log_id, log_partition, received_through, waiting_since, published_at)
    select ${logId}, log_partition, received_through, waiting_since, clock_timestamp()
    from unnest(${watermarks.map(({ partition }) => partition)}::integer[],
      ${watermarks.map(({ watermark }) => at(watermark))}::timestamptz[],
      ${watermarks.map(({ waitingSince }) => at(waitingSince))}::timestamptz[]) as new (log_partition, received_through, waiting_since)
    on conflict (log_id, log_partition) do update set
      received_through = greatest(r.received_through, excluded.received_through),
      waiting_since = excluded.waiting_since, published_at = excluded.published_at`
}

/** The event partitions of every log that is not drained. */
export async function publishedWatermarks(sql: Sql): Promise<readonly PublishedWatermark[]> {
  return sql<PublishedWatermark[]>`
    select l.id as "logId", partition::integer, coalesce(p.done_offset, 0)::float8 as "doneOffset",
      r.received_through as "watermark", r.waiting_since as "waitingSince",
      extract(epoch from clock_timestamp() - r.published_at)::float8 as "silentSeconds", l.created_at as "logCreatedAt"
    from logs l cross join generate_series(0, l.partitions - 1) as partition
    left join log_partitions p on p.log_id = l.id and p.log_partition = partition
    left join log_receipts r on r.log_id = l.id and r.log_partition = partition
    where l.drained_at is null`
}

/**
 * Whether every partition of every log, those of links and idle ones included, is past a time, and all links
 * of a workspace are visible to queries. A drained log always is.
 */
export async function allWatermarksPast(
  sql: Sql | Transaction,
  workspaceId: string,
  time: Date,
): Promise<boolean> {
  const [row] = await sql<{ received: boolean }[]>`
    select not exists (
      select from logs l cross join generate_series(0, l.partitions + l.identity_partitions - 1) as partition
      left join log_receipts r on r.log_id = l.id and r.log_partition = partition
      where l.drained_at is null and (r.received_through is null or r.received_through <= ${time})
    ) and not exists (select from link_outbox where workspace_id = ${workspaceId}) as received`
  return row?.received ?? false
}

/**
 * The time before which every received event is stored: of the partition that is furthest behind. A partition
 * that was never read counts from the start of its log. Undefined if no log is in use.
 */
export async function storedThrough(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<{ time: Date | null }[]>`
    select min(coalesce(r.received_through, l.created_at)) as time
    from logs l cross join generate_series(0, l.partitions - 1) as partition
    left join log_receipts r on r.log_id = l.id and r.log_partition = partition
    where l.drained_at is null`
  return row?.time ?? undefined
}
