import type { ClickHouse, QueryOptions } from '../../port.js'

/** A person's stored figures. Times of events in milliseconds. */
export interface StoredPerson {
  /** An unsigned 64-bit number as text. */
  readonly personKey: string
  /** A user id in their events; empty if there is none. */
  readonly userId: string
  /** An anonymous id in their events; empty if there is none. */
  readonly anonymousId: string
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  readonly events: number
}

export interface PersonSearch {
  readonly workspaceId: string
  /** Part of a user id or an anonymous id, in any case; empty for all. */
  readonly search: string
  /** Persons who are found by a link alone. */
  readonly personKeys: readonly bigint[]
  readonly limit: number
  readonly offset: number
  readonly signal: AbortSignal
}

const SETTINGS = {
  max_execution_time: 30,
  max_memory_usage: 1_073_741_824,
  max_threads: 2,
  // Links are the side of a join that is kept in memory.
  query_plan_join_swap_table: 'false',
}

/** Persons by their last event, the newest first. Throws ClickHouseError. */
export async function listPersons(
  clickhouse: ClickHouse,
  { workspaceId, search, personKeys, limit, offset, signal }: PersonSearch,
): Promise<{ readonly rows: readonly StoredPerson[]; readonly total: number }> {
  const found = `positionCaseInsensitiveUTF8(user_id, {search:String}) > 0
      OR positionCaseInsensitiveUTF8(anonymous_id, {search:String}) > 0`
  const person = clickhouse.personSql('{workspaceId:UUID}')
  const { rows } = await clickhouse.query<StoredPerson & { readonly total: number }>(
    `SELECT toString(person) AS personKey, max(user_id) AS userId, max(anonymous_id) AS anonymousId,
       toUnixTimestamp64Milli(min(timestamp)) AS firstSeenAt, toUnixTimestamp64Milli(max(timestamp)) AS lastSeenAt,
       count() AS events, count() OVER () AS total
     FROM (
       SELECT ${person.key} AS person, user_id, anonymous_id, timestamp, ${search === '' ? '1' : found} AS found FROM (
         ${person.linked('SELECT person_key, user_id, anonymous_id, timestamp FROM events WHERE workspace_id = {workspaceId:UUID}')}))
     GROUP BY person
     HAVING max(found) = 1 OR person IN {personKeys:Array(UInt64)}
     ORDER BY lastSeenAt DESC, person
     LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    { ...optionsOf(workspaceId, personKeys, signal, { search, limit, offset }) },
  )
  return { rows, total: rows[0]?.total ?? 0 }
}

export interface SeenVariant {
  readonly key: string
  readonly variant: string
  /** Milliseconds. */
  readonly exposedAt: number
}

/** @param personKeys of the person's rows, before links */
export async function readPerson(
  clickhouse: ClickHouse,
  workspaceId: string,
  personKeys: readonly bigint[],
  signal: AbortSignal,
): Promise<{ readonly person: StoredPerson | undefined; readonly experiments: readonly SeenVariant[] }> {
  const options = optionsOf(workspaceId, personKeys, signal, {})
  const rows = 'workspace_id = {workspaceId:UUID} AND person_key IN {personKeys:Array(UInt64)}'
  const [persons, experiments] = await Promise.all([
    clickhouse.query<StoredPerson>(
      `SELECT '' AS personKey, max(user_id) AS userId, max(anonymous_id) AS anonymousId,
         toUnixTimestamp64Milli(min(timestamp)) AS firstSeenAt, toUnixTimestamp64Milli(max(timestamp)) AS lastSeenAt, count() AS events
       FROM events WHERE ${rows} HAVING events > 0`,
      options,
    ),
    clickhouse.query<SeenVariant>(
      `SELECT toString(experiment) AS key, toString(variant) AS variant, toUnixTimestamp64Milli(min(timestamp)) AS exposedAt
       FROM exposures WHERE ${rows} GROUP BY key, variant ORDER BY exposedAt, key, variant LIMIT 1000`,
      options,
    ),
  ])
  return { person: persons.rows[0], experiments: experiments.rows }
}

function optionsOf(
  workspaceId: string,
  personKeys: readonly bigint[],
  signal: AbortSignal,
  params: Record<string, unknown>,
): QueryOptions {
  const keys = personKeys.map((key) => BigInt.asUintN(64, key))
  return { params: { ...params, workspaceId, personKeys: keys }, settings: SETTINGS, signal }
}
