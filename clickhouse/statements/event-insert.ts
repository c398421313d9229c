import { ROW_COLUMNS } from '../../domain/row.js'
import { quote } from '../literal.js'
import type { EventBlock } from '../port.js'

const names = ROW_COLUMNS.map(([name]) => name).join(', ')

/** Columns and types of a block's rows, for RowBinary. */
export const EVENT_STRUCTURE = ROW_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')

/** Columns of an incoming link, 32 bytes: see `encodeLinks`. */
export const LINK_STRUCTURE = 'workspace_id UUID, anonymous_key UInt64, user_key UInt64'

/** `INSERT INTO events … SELECT …` without its FROM: the columns in the bytes, and constants of the block. */
export function eventInsertSql(block: EventBlock, settings = ''): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(block.logId))
    throw new TypeError(`the id of a log is a UUID, not ${JSON.stringify(block.logId)}`)
  if (!Number.isInteger(block.logPartition) || block.logPartition < 0 || block.logPartition > 65_535)
    throw new RangeError(`the partition of a log is 0 to 65535, not ${block.logPartition}`)
  return (
    `INSERT INTO events (${names}, log_id, log_partition) ${settings === '' ? '' : `SETTINGS ${settings} `}` +
    `SELECT ${names}, toUUID(${quote(block.logId)}) AS log_id, toUInt16(${block.logPartition}) AS log_partition`
  )
}

/**
 * Settings that make a block one part per month, whatever its size, so that its token covers all of it. A
 * block that is split by rows or bytes may fail piece by piece. The consumer limits its size.
 */
export function eventInsertSettings(token: string): Readonly<Record<string, string | number>> {
  if (token === '') throw new TypeError('a block needs a token')
  return {
    insert_deduplication_token: token,
    insert_deduplicate: 1,
    deduplicate_blocks_in_dependent_materialized_views: 1,
    async_insert: 0,
    // A view's rows for a block have distinct keys: looking for equal ones costs a twentieth of an insert.
    optimize_on_insert: 0,
    ...ONE_BLOCK,
  }
}

/** No cutting: one reader, one writer, and blocks that wait for all of the input. */
export const ONE_BLOCK: Readonly<Record<string, string | number>> = {
  max_threads: 1,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
  max_block_size: 4_194_304,
  max_insert_block_size: 4_194_304,
  min_insert_block_size_rows: 4_194_304,
  min_insert_block_size_bytes: 4_294_967_296,
}
