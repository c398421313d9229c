import { quote } from './literal.js'
import type { ClickHouse, SettingValue } from './port.js'
import { mutate, mutationsDone, NAME_COLUMNS, type NameCount, timeLiteral } from './removal.js'
import { shardsOf } from './shards.js'
import { eventInsertSettings } from './statements/event-insert.js'

/*
 * Takes removed rows out of the vocabulary of a server while others insert. A block is in `events` some time
 * before its view has it in `event_names`, so a difference between the two proves nothing. But the removed
 * rows were counted after all of them were in both. So exactly these are subtracted.
 */

/** Bounds the length of a statement. */
const NAMES_AT_A_TIME = 500
/**
 * Never a minimum, and never a maximum. Not before 1970, where no event is either: a `max` that ClickHouse
 * has compiled takes such a time for the newest.
 */
const LATEST = Date.UTC(2299, 11, 31)
const EARLIEST = 0

/** Times in milliseconds. */
interface NameBounds {
  readonly firstSeen: number
  readonly lastSeen: number
  readonly firstReceived: number
  readonly lastReceived: number
}

const NO_BOUNDS: NameBounds = {
  firstSeen: LATEST,
  lastSeen: EARLIEST,
  firstReceived: LATEST,
  lastReceived: EARLIEST,
}

/**
 * Subtracts removed rows from the counts of their names. A repetition under the same token has no effect, as
 * long as the tables remember it.
 */
export async function subtractNames(
  clickhouse: ClickHouse,
  workspaceId: string,
  removed: readonly NameCount[],
  token: string,
): Promise<void> {
  for (const [shard, store] of shardsOf(clickhouse).entries()) {
    const rows = removed
      .filter((row) => row.shard === shard && row.events > 0)
      // 64-bit sums wrap around.
      .map(({ name, events }) => ({ ...NO_BOUNDS, name, count: BigInt.asUintN(64, -BigInt(events)) }))
    await insertNames(store, workspaceId, rows, eventInsertSettings(token))
  }
}

/**
 * Narrows the times of names to those of the rows that are left, and removes names without rows. Rows
 * received after `until` may be inserted meanwhile. Call it after `subtractNames`. Can be repeated.
 */
export async function trimNames(
  clickhouse: ClickHouse,
  { names, ...of }: { readonly workspaceId: string; readonly names: readonly string[]; readonly until: Date },
  signal: AbortSignal,
): Promise<void> {
  for (const shard of shardsOf(clickhouse))
    for (let from = 0; from < names.length; from += NAMES_AT_A_TIME)
      await trimNamesOfShard(shard, { ...of, names: names.slice(from, from + NAMES_AT_A_TIME) }, signal)
}

/**
 * How the vocabulary's times of a name compare with those of its rows. Of its last receipts only those up to
 * `until` are compared: listings start their search at the newest one, which may be that of a new row.
 */
const COMPARED_NAMES = `
  SELECT event AS name, stored.n = 0 AS gone,
    NOT gone AND (known.a < stored.a OR known.b > stored.b OR known.c < least(stored.c, until) OR known.e > stored.e) AS wide,
    NOT gone AND (known.a > stored.a OR known.b < stored.b OR known.c > stored.c OR known.d < stored.d) AS narrow,
    toUnixTimestamp64Milli(stored.a) AS firstSeen, toUnixTimestamp64Milli(stored.b) AS lastSeen,
    toUnixTimestamp64Milli(stored.c) AS firstReceived, toUnixTimestamp64Milli(stored.d) AS lastReceived,
    toUnixTimestamp64Milli(stored.e) AS lastOld
  FROM (
    SELECT event, min(first_seen) AS a, max(last_seen) AS b, min(first_received) AS c, max(last_received) AS d,
      maxIf(last_received, last_received <= until) AS e
    FROM event_names WHERE workspace_id = {workspaceId:UUID} AND event IN {names:Array(String)} GROUP BY event
  ) AS known
  LEFT JOIN (
    SELECT toString(event) AS event, count() AS n, min(timestamp) AS a, max(timestamp) AS b, min(received_at) AS c,
      max(received_at) AS d, maxIf(received_at, received_at <= until) AS e
    FROM events WHERE workspace_id = {workspaceId:UUID} AND event IN {names:Array(String)} GROUP BY event
  ) AS stored USING (event)
  WHERE gone OR wide OR narrow
  ORDER BY name`

interface ComparedName extends NameBounds {
  readonly name: string
  readonly gone: number
  readonly wide: number
  readonly narrow: number
  /** Of the rows received up to `until`. */
  readonly lastOld: number
}

async function trimNamesOfShard(
  shard: ClickHouse,
  { workspaceId, names, until }: { workspaceId: string; names: readonly string[]; until: Date },
  signal: AbortSignal,
): Promise<void> {
  const compare = async () => {
    const { rows } = await shard.query<ComparedName>(
      `WITH fromUnixTimestamp64Milli({until:Int64}, 'UTC') AS until ${COMPARED_NAMES}`,
      { params: { workspaceId, names, until: until.getTime() }, readYourWrites: true, signal },
    )
    return rows
  }
  await mutationsDone(shard, 'event_names', signal)
  let compared = await compare()
  const changes = [
    ...deletion(
      workspaceId,
      compared.filter(({ gone }) => gone === 1),
      until,
    ),
    ...narrowing(
      workspaceId,
      compared.filter(({ wide }) => wide === 1),
      until,
    ),
  ]
  if (changes.length > 0) {
    await mutate(shard, 'event_names', changes.join(', '), signal)
    compared = await compare()
  }
  // A row that arrived before the mutation, with an older or newer time than the rows that were read for it.
  const narrow = compared.filter(({ narrow }) => narrow === 1)
  await insertNames(
    shard,
    workspaceId,
    narrow.map((row) => ({ ...row, count: 0n })),
    { insert_deduplicate: 0 },
  )
}

/** Rows of the vocabulary with new events have a later receipt, unless they replay a dead letter. */
function deletion(workspaceId: string, names: readonly ComparedName[], until: Date): string[] {
  if (names.length === 0) return []
  const those = rowsOf(workspaceId, names)
  return [
    `DELETE WHERE ${those} AND last_received <= ${timeLiteral(until)}
       AND event NOT IN (SELECT toString(event) FROM events WHERE ${those})`,
  ]
}

function narrowing(workspaceId: string, names: readonly ComparedName[], until: Date): string[] {
  if (names.length === 0) return []
  const index = `indexOf([${names.map(({ name }) => quote(name)).join(', ')}], event)`
  const bound = (of: keyof NameBounds | 'lastOld') =>
    `fromUnixTimestamp64Milli(CAST([${names.map((name) => name[of]).join(', ')}], 'Array(Int64)')[${index}], 'UTC')`
  const end = timeLiteral(until)
  return [
    `UPDATE first_seen = greatest(first_seen, ${bound('firstSeen')}), last_seen = least(last_seen, ${bound('lastSeen')}),
       first_received = greatest(first_received, least(${bound('firstReceived')}, ${end})),
       last_received = if(last_received <= ${end}, least(last_received, ${bound('lastOld')}), last_received)
     WHERE ${rowsOf(workspaceId, names)}`,
  ]
}

function rowsOf(workspaceId: string, names: readonly ComparedName[]): string {
  return `workspace_id = ${quote(workspaceId)} AND event IN (${names.map(({ name }) => quote(name)).join(', ')})`
}

/** By VALUES, whose tokens all versions of ClickHouse heed. */
async function insertNames(
  shard: ClickHouse,
  workspaceId: string,
  rows: readonly (NameBounds & { readonly name: string; readonly count: bigint })[],
  settings: Readonly<Record<string, SettingValue>>,
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(
    ({ name, count, firstSeen, lastSeen, firstReceived, lastReceived }) =>
      `(${quote(workspaceId)}, ${quote(name)}, ${count}, ${[firstSeen, lastSeen, firstReceived, lastReceived].map(timeText).join(', ')})`,
  )
  await shard.command(
    `INSERT INTO event_names (${NAME_COLUMNS})
     VALUES ${values.join(', ')}`,
    { settings },
  )
}

/** As VALUES read it without evaluating it. */
function timeText(milliseconds: number): string {
  return quote(new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', ''))
}
