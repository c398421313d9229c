import type { ClickHouse } from '../../port.js'

export interface TrendsOptions {
  readonly workspaceId: string
  readonly eventNames: readonly string[]
  /** Start of the first bucket in milliseconds, a whole second. */
  readonly from: number
  readonly bucketMs: number
  readonly buckets: number
  readonly signal?: AbortSignal
}

/** Counts events by name and bucket. Names without events are left out. */
export async function readTrends(
  clickhouse: ClickHouse,
  { workspaceId, eventNames, from, bucketMs, buckets, signal }: TrendsOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await clickhouse.query<{ name: string; bucket: number; count: number }>(
    `SELECT toString(event) AS name,
       intDiv(toUnixTimestamp64Milli(timestamp) - {from:Int64}, {bucketMs:Int64}) AS bucket,
       count() AS count
     FROM events
     WHERE workspace_id = {workspaceId:UUID} AND event IN {eventNames:Array(String)}
       AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND timestamp < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
     GROUP BY name, bucket`,
    { params: { workspaceId, eventNames, from, to: from + buckets * bucketMs, bucketMs }, signal },
  )
  const trends = new Map<string, number[]>()
  for (const { name, bucket, count } of rows) {
    const counts = trends.get(name) ?? Array.from({ length: buckets }, () => 0)
    counts[bucket] = count
    trends.set(name, counts)
  }
  return trends
}
