import type { ClickHouse, QueryOptions } from '../clickhouse/port.js'
import { claimedEvents } from '../consumers/blocks/parse-record.js'
import { type PartitionTotals, readPartitionTotals } from '../consumers/partitions/checkpoint.js'
import type { EventLog } from '../log/port.js'
import type { Sql, Transaction } from '../postgres/driver/client.js'
import { countOpenLetters } from '../postgres/tables/dead-letter-list.js'
import { readRemovals } from '../postgres/tables/erasures.js'
import { countLinks } from '../postgres/tables/identity-links.js'
import { ledgerSince, readStoredHours } from '../postgres/tables/key-ledger.js'
import type { EventCounts } from './manifest.js'

export interface VerifiedStores {
  readonly sql: Sql | Transaction
  readonly clickhouse: ClickHouse
  readonly log: EventLog
  /** A copy, which can be read without disturbing consumers. */
  readonly logIsCopy: boolean
}

export interface Verification {
  /** Null for what Kafka does not count. */
  readonly events: Omit<EventCounts, 'acknowledged' | 'waiting'> & {
    readonly acknowledged: number | null
    readonly waiting: number | null
  }
  readonly checks: readonly CountComparison[]
  /** The first check that found something else than it expected. */
  readonly difference: string | null
}

export interface CountComparison {
  readonly check: string
  readonly expected: number
  readonly found: number
  readonly ok: boolean
}

const SECONDS = 3_600
/** Positions and ids that one pass compares. Bounds its memory. */
const ROWS_PER_PASS = 4_000_000
/** Of the ledger, in a report. */
const MAX_WRONG_HOURS = 100

/**
 * Compares what was acknowledged, stored and counted. Changes nothing.
 *
 * Positions and totals of a partition come from one row in Postgres. Rows below its position never change
 * again, so they are counted while others are stored. Events without a position are counted between two
 * counts of the rows. While svc runs, a difference may pass: ask again.
 */
export async function verifyStores(stores: VerifiedStores): Promise<Verification> {
  const { sql, clickhouse, log } = stores
  const partitions = await readPartitionTotals(sql)
  const current = partitions.filter(({ logId }) => logId === log.id)
  const checks: CountComparison[] = []
  const add = (check: string, expected: number, found: number, ok = expected === found): void => {
    checks.push({ check, expected, found, ok })
  }

  for (const { partition, doneOffset, openTo } of current) {
    const needed = openTo ?? doneOffset
    const end = await log.end(partition)
    add(`end of partition ${partition} of the log, at least the stored offset`, needed, end, end >= needed)
  }
  const acknowledged = (await log.appendedEvents()) ?? null
  const sums = sumOf(current.filter(({ holdsEvents }) => holdsEvents))
  const waiting = stores.logIsCopy ? await countWaiting(log, current) : null
  if (acknowledged !== null && waiting !== null)
    add(
      'events acknowledged: stored, duplicates, dead letters and waiting',
      acknowledged,
      sums.stored + sums.duplicates + sums.dead + waiting,
    )
  const holding = partitions.filter(({ holdsEvents }) => holdsEvents)
  const removals = await readRemovals(sql)
  const dead = sumOf(holding).dead
  const letters = sumOfValues(await countOpenLetters(sql), holding)
  add('events of dead letters', dead, letters, letters <= dead && letters >= dead - removals.deadLetters)

  const rows = await countRows(clickhouse, holding)
  for (const { logId, partition, stored } of holding) {
    const at = `${logId}:${partition}`
    const { count: found = 0 } = rows.get(at) ?? {}
    const left = stored - (removals.events.get(at) ?? 0)
    const ok = removals.underWay ? found >= left && found <= stored : found === left
    add(`rows of partition ${partition} of log ${logId}`, left, found, ok)
  }
  // Read again, because blocks may have been stored meanwhile; each was announced before.
  for (const { logId, partition, doneOffset, openTo } of await readPartitionTotals(sql)) {
    const { end = 0 } = rows.get(`${logId}:${partition}`) ?? {}
    const announced = openTo ?? doneOffset
    if (logId === log.id)
      add(
        `end of the rows of partition ${partition}, at most the stored offset`,
        announced,
        end,
        end <= announced,
      )
  }
  for (const [what, columns, condition] of UNIQUE)
    add(`${what} stored twice`, 0, await countRepeated(clickhouse, columns, condition))
  checks.push(...(await compareWorkspaces(stores, holding)))
  checks.push(...(await compareLedger(stores, holding, removals.underWay)))

  const failed = checks.find(({ ok }) => !ok)
  return {
    events: {
      acknowledged,
      waiting,
      stored: sums.stored,
      duplicates: sums.duplicates,
      deadLetters: sums.dead,
    },
    checks,
    difference:
      failed === undefined ? null : `${failed.check}: ${failed.found} found, ${failed.expected} expected`,
  }
}

const UNIQUE = [
  ['log positions', 'log_id, log_partition, log_offset, request_index', '1'],
  ['insertIds of a month', 'workspace_id, toYYYYMM(received_at), insert_hash', 'insert_hash != 0'],
] as const

function sumOf(partitions: readonly PartitionTotals[]) {
  const sum = { stored: 0, duplicates: 0, dead: 0 }
  for (const { stored, duplicates, dead } of partitions) {
    sum.stored += stored
    sum.duplicates += duplicates
    sum.dead += dead
  }
  return sum
}

const sumOfValues = (values: ReadonlyMap<string, number>, partitions: readonly PartitionTotals[]): number =>
  partitions.reduce((sum, { logId, partition }) => sum + (values.get(`${logId}:${partition}`) ?? 0), 0)

/** Events of the log at or after the stored positions. */
async function countWaiting(log: EventLog, partitions: readonly PartitionTotals[]): Promise<number> {
  const positions = new Map(partitions.map(({ partition, doneOffset }) => [partition, doneOffset]))
  const ended = new AbortController()
  let waiting = 0
  let open = log.partitions
  const ends: number[] = []
  for (let partition = 0; partition < log.partitions; partition++) ends.push(await log.end(partition))
  const reached = (partition: number, next: number): void => {
    if (next >= (ends[partition] ?? 0) && --open === 0) ended.abort()
  }
  await log.consume(
    { kind: 'events', maxBatchBytes: 8 * 2 ** 20, lingerMs: 0 },
    {
      async assigned(partition) {
        const position = positions.get(partition) ?? 0
        reached(partition, position)
        return position
      },
      async handle(partition, records) {
        for (const { payload } of records) waiting += claimedEvents(payload)
        reached(partition, (records.at(-1)?.offset ?? 0) + 1)
      },
    },
    ended.signal,
  )
  return waiting
}

/** SQL for the stored position of a row's partition. */
function positionOf(partitions: readonly PartitionTotals[]) {
  const cases = partitions.map(
    (_, i) => `log_id = {log${i}:UUID} AND log_partition = {partition${i}:UInt16}, {end${i}:UInt64}, `,
  )
  const params = Object.fromEntries(
    partitions.flatMap(({ logId, partition, doneOffset }, i) => [
      [`log${i}`, logId],
      [`partition${i}`, partition],
      [`end${i}`, doneOffset],
    ]),
  )
  return { position: cases.length === 0 ? '0' : `multiIf(${cases.join('')}0)`, params }
}

/**
 * Rows below the stored position of each partition, and the offset after its last row, by `log:partition`.
 */
async function countRows(
  clickhouse: ClickHouse,
  partitions: readonly PartitionTotals[],
): Promise<ReadonlyMap<string, { readonly count: number; readonly end: number }>> {
  const { position, params } = positionOf(partitions)
  const { rows } = await clickhouse.query<{ at: string; count: number; end: number }>(
    `SELECT concat(toString(log_id), ':', toString(log_partition)) AS at, countIf(log_offset < ${position}) AS count,
       max(log_offset) + 1 AS end
     FROM events GROUP BY log_id, log_partition`,
    patient({ params }),
  )
  return new Map(rows.map(({ at, ...row }) => [at, row]))
}

/** How many values of some columns are in several rows of `events`. */
async function countRepeated(clickhouse: ClickHouse, columns: string, condition: string): Promise<number> {
  const { rows } = await clickhouse.query<{ count: number }>('SELECT count() AS count FROM events', patient())
  const passes = Math.max(1, Math.ceil((rows[0]?.count ?? 0) / ROWS_PER_PASS))
  let repeated = 0
  for (let pass = 0; pass < passes; pass++) {
    const found = await clickhouse.query<{ count: number }>(
      `SELECT count() AS count FROM (
         SELECT 1 FROM events WHERE ${condition} AND sipHash64(${columns}) % {passes:UInt32} = {pass:UInt32}
         GROUP BY ${columns} HAVING count() > 1)`,
      patient({ params: { passes, pass } }),
    )
    repeated += found.rows[0]?.count ?? 0
  }
  return repeated
}

/** Counts without a position in the log. They may lack rows of a block that is being stored. */
async function compareWorkspaces(
  { sql, clickhouse }: VerifiedStores,
  partitions: readonly PartitionTotals[],
): Promise<readonly CountComparison[]> {
  const { position, params } = positionOf(partitions)
  const count = (statement: string, options?: QueryOptions) =>
    countByWorkspace(clickhouse, statement, options)
  const before = await count(`countIf(log_offset < ${position}) AS count FROM events`, { params })
  const counted = await count('sum(count) AS count FROM event_names')
  const listed = await count('count() AS count FROM event_order FINAL')
  const after = await count('count() AS count FROM events')
  const links = await countLinks(sql)
  const visible = await count('uniqExact(anonymous_key) AS count FROM identity_links')
  const names = (...maps: readonly ReadonlyMap<string, unknown>[]): readonly string[] => [
    ...new Set(maps.flatMap((map) => [...map.keys()])),
  ]
  const between = (check: string, low: number, high: number, found: number): CountComparison => ({
    check,
    expected: found < low ? low : high,
    found,
    ok: low <= found && found <= high,
  })
  return [
    ...names(after, counted, listed).flatMap((workspace) => {
      const [low, high] = [before.get(workspace) ?? 0, after.get(workspace) ?? 0]
      return [
        between(`events counted by name in workspace ${workspace}`, low, high, counted.get(workspace) ?? 0),
        between(`events listed in workspace ${workspace}`, low, high, listed.get(workspace) ?? 0),
      ]
    }),
    ...names(links, visible).map((workspace) => {
      const { made = 0, outgoing = 0 } = links.get(workspace) ?? {}
      const found = visible.get(workspace) ?? 0
      return between(`links visible to queries in workspace ${workspace}`, made - outgoing, made, found)
    }),
  ]
}

/** Rows by the hour of their receipt with the ledger, from the hour on that it knows as a whole. */
async function compareLedger(
  { sql, clickhouse }: VerifiedStores,
  partitions: readonly PartitionTotals[],
  removing: boolean,
): Promise<readonly CountComparison[]> {
  const { position, params } = positionOf(partitions)
  const before = await countByHour(clickhouse, `countIf(log_offset < ${position})`, params)
  const ledger = await readStoredHours(sql)
  const since = (await ledgerSince(sql))?.getTime() ?? 0
  if (ledger === undefined) return []
  const after = await countByHour(clickhouse, 'count()')
  const counted = new Map(
    ledger.hours.map(({ workspaceId, hour, stored }) => [`${workspaceId} ${hour}`, stored]),
  )
  const checks = new Map<string, { rows: number; stored: number }>()
  const wrong: CountComparison[] = []
  for (const at of new Set([...counted.keys(), ...after.keys()])) {
    const [workspace = '', hour = ''] = at.split(' ')
    if (Number(hour) < Math.max(since, ledger.removedBefore.get(workspace) ?? 0)) continue
    const [found, stored] = [after.get(at) ?? 0, counted.get(at) ?? 0]
    const sum = checks.get(workspace) ?? { rows: 0, stored: 0 }
    checks.set(workspace, { rows: sum.rows + found, stored: sum.stored + stored })
    // Rows that are being removed have left the ledger already.
    if (stored > found || (!removing && stored < (before.get(at) ?? 0)))
      wrong.push({
        check: `events received in the hour from ${new Date(Number(hour)).toISOString()} in workspace ${workspace}, by the ledger`,
        expected: stored,
        found,
        ok: false,
      })
  }
  const passed = [...checks].map(([workspace, { rows, stored }]) => ({
    check: `events of workspace ${workspace} by the hours of the ledger`,
    expected: stored,
    found: rows,
    ok: true,
  }))
  return wrong.length > 0 ? wrong.slice(0, MAX_WRONG_HOURS) : passed
}

/** By workspace and start of the hour of receipt, such as `ID 1700000000000`. */
async function countByHour(
  clickhouse: ClickHouse,
  count: string,
  params: NonNullable<QueryOptions['params']> = {},
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await clickhouse.query<{ workspace: string; hour: number; count: number }>(
    `SELECT toString(workspace_id) AS workspace, toUnixTimestamp(toStartOfHour(received_at, 'UTC')) AS hour,
       ${count} AS count FROM events GROUP BY workspace_id, hour`,
    patient({ params }),
  )
  return new Map(rows.map(({ workspace, hour, count }) => [`${workspace} ${hour * 1_000}`, count]))
}

async function countByWorkspace(
  clickhouse: ClickHouse,
  statement: string,
  options?: QueryOptions,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await clickhouse.query<{ workspace: string; count: number }>(
    `SELECT toString(workspace_id) AS workspace, ${statement} GROUP BY workspace_id`,
    patient(options),
  )
  return new Map(rows.map(({ workspace, count }) => [workspace, count]))
}

const patient = (options: QueryOptions = {}): QueryOptions => ({
  ...options,
  settings: { max_execution_time: SECONDS },
  readYourWrites: true,
})
