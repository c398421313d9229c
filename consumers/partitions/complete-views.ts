import { waitForInFlightInserts } from '../../clickhouse/in-flight-inserts.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { shardsOf } from '../../clickhouse/shards.js'
import type { Sql } from '../../postgres/driver/client.js'
import type { Logger } from '../../runtime/logger.js'
import type { RowRange } from './inserted-rows.js'
import { ROWS_IN_RANGE, repairVocabulary } from './vocabulary-repair.js'

interface RepairDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Pick<Logger, 'error'>
}

/** The attempt that stored some rows of these records may have ended before the vocabulary. */
export const tryRepairVocabulary = (deps: RepairDependencies, rows: RowRange): Promise<void> =>
  tryRepair(deps, rows, repairVocabulary)

/** The views may have lost what an earlier attempt made of these rows. */
export const tryCompleteViews = (deps: RepairDependencies, rows: RowRange): Promise<void> =>
  tryRepair(deps, rows, completeViews)

async function tryRepair(
  deps: RepairDependencies,
  rows: RowRange,
  repair: (deps: RepairDependencies, rows: RowRange) => Promise<void>,
): Promise<void> {
  try {
    await repair(deps, rows)
  } catch (error) {
    deps.logger.error(
      { err: error, ...rows },
      'Repairing views failed; the vocabulary may count the rows of a block short',
    )
  }
}

/**
 * Adds what the views lack of stored rows: the order of events and the exposures row by row, the vocabulary
 * by counting its names. Without effect if nothing is missing, and with replicas: another one may hold what
 * this one lacks.
 */
export async function completeViews(
  { sql, clickhouse }: Pick<RepairDependencies, 'sql' | 'clickhouse'>,
  places: RowRange,
): Promise<void> {
  if (clickhouse.schema.cluster !== undefined) return
  // A count that differs proves nothing on a server, where others insert: the order tells of lost views.
  let isLacking = clickhouse.schema.kind === 'embedded'
  for (const shard of shardsOf(clickhouse)) {
    const options = { params: { ...places }, settings: { insert_deduplicate: 0 } }
    // An equal row inserted twice is merged, and queries count it once already.
    await shard.command(await backfillStatement(shard, 'exposures', '1'), options)
    if (!(await lacksOrder(shard, places))) continue
    // The insert of an earlier attempt may still write to the views.
    await waitForInFlightInserts(shard)
    isLacking ||= await lacksOrder(shard, places)
    await shard.command(await backfillStatement(shard, 'event_order', NOT_IN_ORDER), options)
  }
  if (isLacking) await repairVocabulary({ sql, clickhouse }, places)
}

const ORDER_KEY = 'workspace_id, received_at, record, request_index'
const NOT_IN_ORDER = `(${ORDER_KEY}) NOT IN (
  SELECT ${ORDER_KEY} FROM event_order WHERE received_at IN (SELECT received_at FROM ${ROWS_IN_RANGE}))`

async function lacksOrder(store: ClickHouse, places: RowRange): Promise<boolean> {
  const { rows } = await store.query<{ n: number }>(
    `SELECT count() AS n FROM (${await viewStatement(store, 'event_order_feed')}) WHERE ${NOT_IN_ORDER}`,
    { params: { ...places } },
  )
  return (rows[0]?.n ?? 0) > 0
}

/** Inserts what a view makes of the rows of a block, as far as `lacking` says that its table lacks them. */
async function backfillStatement(clickhouse: ClickHouse, table: string, lacking: string): Promise<string> {
  const columns = await columnsOf(clickhouse, table)
  const rows = await viewStatement(clickhouse, `${table}_feed`)
  return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${rows}) AS rows WHERE ${lacking}`
}

async function viewStatement(clickhouse: ClickHouse, view: string): Promise<string> {
  const { rows } = await clickhouse.query<{ statement: string }>(
    'SELECT as_select AS statement FROM system.tables WHERE database = currentDatabase() AND name = {view:String}',
    { params: { view } },
  )
  const parts = (rows[0]?.statement ?? '').split(/\bFROM (?:\w+\.)?events\b/)
  const [head, tail] = parts
  if (head === undefined || tail === undefined || parts.length !== 2)
    throw new Error(`the view ${view} does not read the events once`)
  return `${head}FROM ${ROWS_IN_RANGE} AS events${tail}`
}

async function columnsOf(clickhouse: ClickHouse, table: string): Promise<string> {
  const { rows } = await clickhouse.query<{ name: string }>(
    'SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} ORDER BY position',
    { params: { table } },
  )
  return rows.map(({ name }) => name).join(', ')
}
