import type { ClickHouse } from '../../clickhouse/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { openReplayRanges, withdrawAllReplayIntents } from '../../postgres/tables/dead-letters.js'
import type { Logger } from '../../runtime/logger.js'
import { PART } from './block-writer.js'
import { openIntentRanges, renameIntentTokens } from './checkpoint.js'
import { ROWS_IN_RANGE, repairVocabulary } from './vocabulary-repair.js'

/*
 * Recovery after a power cut. Embedded ClickHouse syncs the rows of a block before it answers the insert, but
 * not its list of deduplication tokens. The list may lag behind, or know rows that never reached the disk. So
 * the token of a block that was not committed proves nothing, and the views may lack rows that the table has.
 *
 * The machine has been restarted, so no earlier process can still insert. Before anything else writes:
 *
 *   1  Backfill what the views lack of these blocks' rows: the order of events and the exposures row by row,
 *      the vocabulary by counting its names.
 *   2  Give the intents new tokens of the kind whose rows are looked up by position. Withdraw the intents of
 *      replays, which then look their rows up too.
 *
 * If this is interrupted, all of it is repeated. Rows that are there are not inserted twice.
 */

export interface UncleanShutdownDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Pick<Logger, 'warn'>
}

/** Call this before the consumers start, while nothing else writes to the stores. */
export async function recoverFromUncleanShutdown({
  sql,
  clickhouse,
  logger,
}: UncleanShutdownDependencies): Promise<void> {
  const doubtful = [...(await openIntentRanges(sql)), ...(await openReplayRanges(sql))]
  if (doubtful.length === 0) return
  logger.warn(
    { blocks: doubtful.length },
    'Machine restarted while blocks were being stored; recovering their rows',
  )
  const fillings = await Promise.all([
    backfillStatement(clickhouse, 'event_order', NOT_IN_ORDER),
    // An equal row inserted twice is merged, and queries count it once already.
    backfillStatement(clickhouse, 'exposures', '1'),
  ])
  for (const block of doubtful) {
    const options = { params: { ...block }, settings: { insert_deduplicate: 0 } }
    for (const filling of fillings) await clickhouse.command(filling, options)
    await repairVocabulary(clickhouse, block)
  }
  await renameIntentTokens(sql, PART)
  await withdrawAllReplayIntents(sql)
}

const ORDER_KEY = 'workspace_id, received_at, record, request_index'
const NOT_IN_ORDER = `(${ORDER_KEY}) NOT IN (
  SELECT ${ORDER_KEY} FROM event_order WHERE received_at IN (SELECT received_at FROM ${ROWS_IN_RANGE}))`

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
