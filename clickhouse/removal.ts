import { setTimeout as sleep } from 'node:timers/promises'
import { quote } from './literal.js'
import { recreateDictionary } from './migrate.js'
import { type ClickHouse, ClickHouseError } from './port.js'
import { listingCacheOf } from './queries/events/events.js'
import { shardsOf } from './shards.js'

/*
 * Removes rows for good: by mutations, which rewrite the parts that hold them. Statements of mutations are
 * written to disk, so they contain keys and hashes of persons and never an id.
 *
 * Every function can be repeated after a crash at any point. Shards are changed one after the other, each by
 * its rows.
 */

/** Rows of a workspace. The condition has literals only, since a mutation cannot have parameters. */
export interface RemovedRows {
  readonly workspaceId: string
  /** On columns that `events` and `exposures` share. */
  readonly condition: string
  /** The same rows in `event_order`. */
  readonly orderCondition: string
}

/** The columns of `event_names`. */
export const NAME_COLUMNS = 'workspace_id, event, count, first_seen, last_seen, first_received, last_received'

const POLL_MS = 100
const RECOUNT_ATTEMPTS = 60
const RECOUNT_PAUSE_MS = 300
/** Bounds the length of a statement. */
const HASHES_AT_A_TIME = 1_000
const TABLES = ['event_order', 'exposures', 'events'] as const
const RECORD = 'bitShiftRight(sipHash64(log_id, log_partition, log_offset), 6)'

/** The events of persons that were received up to a time. */
export function rowsOfPersons(workspaceId: string, personKeys: readonly string[], until: Date): RemovedRows {
  const keys = personKeys.map((key) => BigInt.asUintN(64, BigInt(key))).join(', ')
  const received = `workspace_id = ${quote(workspaceId)} AND received_at <= ${timeLiteral(until)}`
  const condition = `${received} AND person_key IN (${keys})`
  return {
    workspaceId,
    condition,
    orderCondition: `${received} AND (received_at, record, request_index) IN (
      SELECT received_at, ${RECORD}, request_index FROM events WHERE ${condition})`,
  }
}

/** The events of a workspace that happened before a time and were received before another. */
export function rowsBefore(workspaceId: string, before: Date, receivedBefore: Date): RemovedRows {
  const condition = `workspace_id = ${quote(workspaceId)} AND timestamp < ${timeLiteral(before)} AND received_at < ${timeLiteral(receivedBefore)}`
  return { workspaceId, condition, orderCondition: condition }
}

/** Rows of a name on one shard, exposures too. */
export interface NameCount {
  readonly name: string
  /** The shard's place in the order of the cluster. */
  readonly shard: number
  readonly events: number
}

export interface CountedRows {
  /** Without exposures. */
  readonly events: number
  readonly exposures: number
  readonly names: readonly NameCount[]
  readonly byPartition: readonly {
    readonly logId: string
    readonly partition: number
    readonly events: number
  }[]
  /** By the UTC hour of receipt, its start in milliseconds. Exposures too. */
  readonly byHour: readonly { readonly hour: number; readonly events: number }[]
}

export async function countRows(clickhouse: ClickHouse, { condition }: RemovedRows): Promise<CountedRows> {
  const [names, partitions, hours] = await Promise.all([
    countNames(clickhouse, condition),
    clickhouse.query<{ logId: string; partition: number; n: number }>(
      `SELECT log_id AS logId, log_partition AS partition, count() AS n FROM events WHERE ${condition}
       GROUP BY logId, partition ORDER BY logId, partition`,
      { readYourWrites: true },
    ),
    clickhouse.query<{ hour: number; n: number }>(
      `SELECT toUnixTimestamp(toStartOfHour(received_at, 'UTC')) AS hour, count() AS n FROM events
       WHERE ${condition} GROUP BY hour ORDER BY hour`,
      { readYourWrites: true },
    ),
  ])
  const exposures = sumOf(names.filter(({ name }) => name === '$exposure'))
  return {
    events: sumOf(names) - exposures,
    exposures,
    names,
    byPartition: partitions.rows.map(({ n, ...row }) => ({ ...row, events: n })),
    byHour: hours.rows.map(({ hour, n }) => ({ hour: hour * 1_000, events: n })),
  }
}

/** Each shard counts the names of its rows. */
async function countNames(clickhouse: ClickHouse, condition: string): Promise<readonly NameCount[]> {
  const counts = shardsOf(clickhouse).map(async (store, shard) => {
    const { rows } = await store.query<{ name: string; events: number }>(
      `SELECT toString(event) AS name, count() AS events FROM events WHERE ${condition} GROUP BY name ORDER BY name`,
      { readYourWrites: true },
    )
    return rows.map((row) => ({ ...row, shard }))
  })
  return (await Promise.all(counts)).flat()
}

function sumOf(names: readonly NameCount[]): number {
  return names.reduce((sum, { events }) => sum + events, 0)
}

/** The names of a workspace with events before a time. */
export async function namesBefore(
  clickhouse: ClickHouse,
  workspaceId: string,
  before: Date,
): Promise<readonly string[]> {
  const { rows } = await clickhouse.query<{ event: string }>(
    `SELECT event FROM event_names WHERE workspace_id = {workspaceId:UUID}
     GROUP BY event HAVING min(first_seen) < ${timeLiteral(before)}`,
    { params: { workspaceId }, readYourWrites: true },
  )
  return rows.map(({ event }) => event)
}

/** Keeps the hashes of the insertIds of rows received since a time, so that the rows stay removed. */
export async function keepInsertIds(
  clickhouse: ClickHouse,
  { condition }: RemovedRows,
  since: Date,
): Promise<void> {
  await clickhouse.command(
    `INSERT INTO erased_ids (workspace_id, received_at, insert_hash)
     SELECT workspace_id, received_at, insert_hash FROM events
     WHERE ${condition} AND insert_hash != 0 AND received_at >= ${timeLiteral(since)}`,
  )
}

/** Keeps hashes of the insertIds of events that were received since a time and never stored. */
export async function keepHashes(
  clickhouse: ClickHouse,
  workspaceId: string,
  hashes: readonly { readonly receivedAt: number; readonly insertHash: bigint }[],
  since: Date,
): Promise<void> {
  const kept = hashes.filter(({ receivedAt }) => receivedAt >= since.getTime())
  for (let from = 0; from < kept.length; from += HASHES_AT_A_TIME) {
    const group = kept.slice(from, from + HASHES_AT_A_TIME)
    const ids = group.map(({ receivedAt, insertHash }) => `(${receivedAt}, toUInt128('${insertHash}'))`)
    await clickhouse.command(
      `INSERT INTO erased_ids (workspace_id, received_at, insert_hash)
       SELECT ${quote(workspaceId)}, fromUnixTimestamp64Milli(toInt64(id.1), 'UTC'), id.2
       FROM (SELECT arrayJoin([${ids.join(', ')}]) AS id)`,
    )
  }
}

/**
 * UTC days of receipt, `YYYY-MM-DD`, of the rows, and of events with one of the anonymous ids that were
 * received up to a time.
 */
export async function daysOfRows(
  clickhouse: ClickHouse,
  { workspaceId, condition }: RemovedRows,
  { anonymousIds, until }: { readonly anonymousIds: readonly string[]; readonly until: Date },
): Promise<readonly string[]> {
  const { rows } = await clickhouse.query<{ day: string }>(
    `SELECT DISTINCT toString(toDate(received_at, 'UTC')) AS day FROM events
     WHERE (${condition}) OR (workspace_id = ${quote(workspaceId)} AND received_at <= ${timeLiteral(until)}
       AND anonymous_id IN {ids:Array(String)})`,
    { params: { ids: [...anonymousIds] }, readYourWrites: true },
  )
  return rows.map(({ day }) => day)
}

/** Removes the rows, those in `events` last, as the others are found by them. */
export async function removeRows(
  clickhouse: ClickHouse,
  { condition, orderCondition }: RemovedRows,
  signal: AbortSignal,
): Promise<void> {
  for (const shard of shardsOf(clickhouse))
    for (const table of TABLES) {
      const where = table === 'event_order' ? orderCondition : condition
      if (await hasRows(shard, table, where, signal))
        await mutate(shard, table, `DELETE WHERE ${where}`, signal)
      else await mutationsDone(shard, table, signal)
    }
}

/**
 * Takes anonymous ids out of events of other users, which were sent on the same device. `salt` keeps their
 * hashes from being compared with others.
 */
export async function blankAnonymousIds(
  clickhouse: ClickHouse,
  rows: { readonly workspaceId: string; readonly anonymousIds: readonly string[]; readonly until: Date },
  salt: string,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, anonymousIds, until } = rows
  const theirs = `workspace_id = ${quote(workspaceId)} AND received_at <= ${timeLiteral(until)} AND user_id != ''`
  const { rows: found } = await clickhouse.query<{ hash: string }>(
    `SELECT DISTINCT hex(SHA256(concat({salt:String}, anonymous_id))) AS hash FROM events
     WHERE ${theirs} AND anonymous_id IN {ids:Array(String)}`,
    { params: { salt, ids: [...anonymousIds] }, readYourWrites: true, signal },
  )
  const hashes = found.map(({ hash }) => quote(hash)).join(', ')
  const change = `UPDATE anonymous_id = '' WHERE ${theirs} AND hex(SHA256(concat(${quote(salt)}, anonymous_id))) IN (${hashes})`
  for (const shard of shardsOf(clickhouse))
    if (found.length === 0) await mutationsDone(shard, 'events', signal)
    else await mutate(shard, 'events', change, signal)
  if (found.length === 0) return
  listingCacheOf(clickhouse).known.clear()
  // Pages that were read meanwhile are out of date.
  await clickhouse.command('SELECT 1', { mutated: 'events' })
}

/** Removes the links of anonymous ids from what queries see. */
export async function removeLinks(
  clickhouse: ClickHouse,
  workspaceId: string,
  anonymousKeys: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (anonymousKeys.length === 0) return
  const keys = anonymousKeys.map((key) => BigInt.asUintN(64, BigInt(key))).join(', ')
  const where = `workspace_id = ${quote(workspaceId)} AND anonymous_key IN (${keys})`
  for (const shard of shardsOf(clickhouse)) {
    if (await hasRows(shard, 'identity_links', where, signal))
      await mutate(shard, 'identity_links', `DELETE WHERE ${where}`, signal)
    else await mutationsDone(shard, 'identity_links', signal)
    if (shard.schema.kind === 'embedded')
      await mutate(shard, 'links_join', `DELETE WHERE anonymous_key IN (${keys})`, signal)
    else await recreateDictionary(shard)
  }
}

/**
 * Names whose counts differ, by how much, and whether the vocabulary reaches further in time than the rows:
 * a sum can be corrected, a minimum or maximum only be written anew.
 */
const DIFFERENT_NAMES = `
  SELECT event, toString(toInt64(stored.n) - toInt64(known.n)) AS difference,
    known.n != 0 AND (stored.n = 0 OR known.a < stored.a OR known.b > stored.b OR known.c < stored.c OR known.d > stored.d)
      AS stale
  FROM (
    SELECT event, count() AS n, min(timestamp) AS a, max(timestamp) AS b, min(received_at) AS c, max(received_at) AS d
    FROM events WHERE workspace_id = {workspaceId:UUID} AND event IN {names:Array(String)} GROUP BY event
  ) AS stored
  FULL OUTER JOIN (
    SELECT event, sum(count) AS n, min(first_seen) AS a, max(last_seen) AS b, min(first_received) AS c,
      max(last_received) AS d
    FROM event_names WHERE workspace_id = {workspaceId:UUID} AND event IN {names:Array(String)} GROUP BY event
  ) AS known USING (event)
  WHERE stored.n != known.n OR stale
  ORDER BY event`

interface DifferentName {
  readonly event: string
  readonly difference: string
  readonly stale: number
}

/**
 * Counts event names again after rows were removed, while events arrive. For the embedded engine, which
 * reads between two inserts here. It cannot subtract (`subtractNames`), because its tokens prove nothing
 * after a power cut. After a crash a block may be in the table and not in the vocabulary, until its insert is
 * repeated. So a difference counts only if it stays the same until all blocks have ended that were open when
 * it was found.
 *
 * On a server other inserts may be between the two at any time: it is used only if an earlier version began
 * the removal, and has not counted its rows by name.
 *
 * @param openBlocks tokens of blocks whose inserts may be under way
 * @throws ClickHouseError `unavailable` if the differences never stay the same
 */
export async function recountNames(
  clickhouse: ClickHouse,
  { workspaceId, names }: { readonly workspaceId: string; readonly names: readonly string[] },
  openBlocks: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return
  // Each shard counts the names of its rows.
  for (const shard of shardsOf(clickhouse))
    await recountNamesOfShard(shard, { workspaceId, names }, openBlocks, signal)
}

async function recountNamesOfShard(
  clickhouse: ClickHouse,
  { workspaceId, names }: { readonly workspaceId: string; readonly names: readonly string[] },
  openBlocks: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<void> {
  let found: string | undefined
  let openThen: readonly string[] = []
  for (let attempt = 0; attempt < RECOUNT_ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(RECOUNT_PAUSE_MS, undefined, { signal })
    const open = await openBlocks()
    const { rows } = await clickhouse.query<DifferentName>(DIFFERENT_NAMES, {
      params: { workspaceId, names: [...names] },
      readYourWrites: true,
      betweenWrites: true,
      signal,
    })
    const differences = JSON.stringify(rows)
    if (differences !== found) {
      found = differences
      openThen = open
    } else if (!openThen.some((token) => open.includes(token))) {
      if (rows.length === 0) return
      await correctNames(clickhouse, workspaceId, rows, signal)
      found = undefined
    }
  }
  throw new ClickHouseError('unavailable', 'Events arrive too fast to count their names again')
}

async function correctNames(
  clickhouse: ClickHouse,
  workspaceId: string,
  names: readonly DifferentName[],
  signal: AbortSignal,
): Promise<void> {
  const stale = names.filter((name) => name.stale === 1)
  if (stale.length > 0) {
    const events = stale.map(({ event }) => quote(event)).join(', ')
    const where = `workspace_id = ${quote(workspaceId)} AND event IN (${events})`
    await mutate(clickhouse, 'event_names', `DELETE WHERE ${where}`, signal)
    await insertNames(clickhouse, 'count()', where, signal)
  }
  // Negative differences are added too, because 64-bit sums wrap around.
  for (const { event, difference } of names.filter((name) => name.stale === 0))
    await insertNames(
      clickhouse,
      `toUInt64(toInt64('${difference}'))`,
      `workspace_id = ${quote(workspaceId)} AND event = ${quote(event)}`,
      signal,
    )
}

async function insertNames(
  clickhouse: ClickHouse,
  count: string,
  where: string,
  signal: AbortSignal,
): Promise<void> {
  await clickhouse.command(
    `INSERT INTO event_names (${NAME_COLUMNS})
     SELECT workspace_id, event, ${count}, min(timestamp), max(timestamp), min(received_at), max(received_at)
     FROM events WHERE ${where} GROUP BY workspace_id, event`,
    { settings: { insert_deduplicate: 0 }, signal },
  )
}

/**
 * Removes the files of parts that were replaced. ClickHouse keeps them for minutes, because the new ones may
 * not be on the disk yet; from now on until `endRemoval` they are written at once. Embedded engine only:
 * a server removes them by itself.
 */
export async function beginRemoval(clickhouse: ClickHouse): Promise<void> {
  if (clickhouse.schema.kind !== 'embedded') return
  for (const table of [...TABLES, 'identity_links'])
    await clickhouse.command(`ALTER TABLE ${table} MODIFY SETTING min_rows_to_fsync_after_merge = 1`)
}

/** Waits until the parts that were replaced are gone from the disk. */
export async function endRemoval(clickhouse: ClickHouse, signal: AbortSignal): Promise<void> {
  if (clickhouse.schema.kind !== 'embedded') return
  for (const table of [...TABLES, 'identity_links']) {
    const replaced = await replacedParts(clickhouse, table, signal)
    await clickhouse.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 1`)
    for (;;) {
      const left = await replacedParts(clickhouse, table, signal)
      if (!left.some((part) => replaced.includes(part))) break
      // An idle engine looks for old parts twice a minute. This makes it look, and drops nothing.
      await clickhouse.command(`ALTER TABLE ${table} DROP PARTITION ID '0'`)
      await sleep(POLL_MS, undefined, { signal })
    }
    await clickhouse.command(
      `ALTER TABLE ${table} RESET SETTING old_parts_lifetime, min_rows_to_fsync_after_merge`,
    )
  }
}

async function replacedParts(clickhouse: ClickHouse, table: string, signal: AbortSignal): Promise<string[]> {
  const { rows } = await clickhouse.query<{ name: string }>(
    'SELECT name FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND NOT active',
    { params: { table }, signal },
  )
  return rows.map(({ name }) => name)
}

async function hasRows(
  clickhouse: ClickHouse,
  table: string,
  where: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { rows } = await clickhouse.query(`SELECT 1 FROM ${table} WHERE ${where} LIMIT 1`, {
    readYourWrites: true,
    signal,
  })
  return rows.length > 0
}

export async function mutate(
  clickhouse: ClickHouse,
  table: string,
  change: string,
  signal: AbortSignal,
): Promise<void> {
  // Not waited for in the statement: it would hold up inserts.
  await clickhouse.command(`ALTER TABLE ${table} ${change}`, {
    settings: { mutations_sync: 0, allow_nondeterministic_mutations: 1, max_query_size: 67_108_864 },
  })
  await mutationsDone(clickhouse, table, signal)
}

/** Waits for all mutations of a table, also of an earlier process, on every replica. */
export async function mutationsDone(
  clickhouse: ClickHouse,
  table: string,
  signal: AbortSignal,
): Promise<void> {
  const { cluster } = clickhouse.schema
  const mutations =
    cluster === undefined ? 'system.mutations' : `clusterAllReplicas(${quote(cluster)}, system.mutations)`
  for (;;) {
    const { rows } = await clickhouse.query<{ failure: string }>(
      `SELECT latest_fail_reason AS failure FROM ${mutations}
       WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done`,
      { params: { table }, signal },
    )
    if (rows.length === 0) break
    const failure = rows.find((row) => row.failure !== '')?.failure
    if (failure !== undefined)
      throw new ClickHouseError('unavailable', `Removing rows of ${table} fails: ${failure}`)
    await sleep(POLL_MS, undefined, { signal })
  }
  await clickhouse.command('SELECT 1', { mutated: table })
}

export function timeLiteral(time: Date): string {
  return `fromUnixTimestamp64Milli(${time.getTime()}, 'UTC')`
}
