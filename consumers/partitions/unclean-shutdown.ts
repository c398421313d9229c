import type { ClickHouse } from '../../clickhouse/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { openReplayRanges, withdrawAllReplayIntents } from '../../postgres/tables/dead-letters.js'
import type { Logger } from '../../runtime/logger.js'
import { PART } from './block-writer.js'
import { openIntentRanges, renameIntentTokens } from './checkpoint.js'
import { ROWS_IN_RANGE, repairVocabulary } from './vocabulary-repair.js'

/*
 * After a power cut. ClickHouse on one machine syncs a block's rows before the insert is answered, but not the list of tokens by which it knows the block again: the list may lag, and may
 * also know of rows that never reached the disk. So the token of a block that was announced and is not marked says nothing any more, and the views may lack rows that the table has.
 *
 * The machine has started anew, so no process of before can still insert. Before anything else writes:
 *
 *   1  what the views lack of the rows that the table has of these blocks is put in: the order of events and exposures row by row, the vocabulary by a count of the names
 *   2  the intents get new tokens, of the kind whose rows are looked up by their place in the log; announced replays are withdrawn, which looks them up too
 *
 * Killed in between, all of it is done again: what is there is not put in twice.
 */

export interface UncleanShutdownDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Pick<Logger, 'warn'>
}

/** To be called before the consumers start, while nothing else writes to the stores. */
export async function recoverFromUncleanShutdown({
  sql,
  clickhouse,
  logger,
}: UncleanShutdownDependencies): Promise<void> {
  const doubtful = [...(await openIntentRanges(sql)), ...(await openReplayRanges(sql))]
  if (doubtful.length === 0) return
  logger.warn(
    { blocks: doubtful.length },
    'the machine was started anew while blocks were being stored: their rows are looked up',
  )
  const fillings = await Promise.all([
    backfillStatement(clickhouse, 'event_order', NOT_IN_ORDER),
    // One row of two that are equal is left, and queries see one already.
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

/** The statement that puts in what a view makes of the rows of a block, where a condition says that its table lacks it. */
async function backfillStatement(clickhouse: ClickHouse, table: string, lacking: string): Promise<string> {
  const columns = await columnsOf(clickhouse, table)
  const rows = await viewStatement(clickhouse, `${table}_feed`)
  return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${rows}) AS rows WHERE ${lacking}`
}

/** The statement of a view, on the rows of a block. */
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
