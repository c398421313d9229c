import { partitionOfHash } from '../domain/partition.js'
import type { EventLog, LogRecord } from '../log/port.js'
import { RecordFormatError, recordsOfRows } from '../log/record.js'
import type { Sql, Transaction } from '../postgres/client.js'

/** What could not be stored, with the reason, in a form that can be appended to the log again. */
export interface DeadLetter {
  readonly offset: number
  /** Position in the record; -1 for the whole of it. */
  readonly rowIndex: number
  readonly workspaceId: string | undefined
  readonly reason: string
  readonly events: number
  readonly payload: Uint8Array
}

/** Writes dead letters of a partition; one that is there already is left as it is. */
export async function insertDeadLetters(
  sql: Transaction,
  logId: string,
  partition: number,
  letters: readonly DeadLetter[],
  newId: () => string,
): Promise<void> {
  for (const letter of letters)
    await sql`
      insert into dead_letters (id, log_id, log_partition, log_offset, row_index, workspace_id, reason, events, payload)
      values (${newId()}, ${logId}, ${partition}, ${letter.offset}, ${letter.rowIndex}, ${letter.workspaceId ?? null},
        ${letter.reason.slice(0, 2_000)}, ${letter.events}, ${Buffer.from(letter.payload)})
      on conflict (log_id, log_partition, log_offset, row_index) do nothing`
}

/** The dead letters of a range of offsets, as `offset:index`. */
export async function deadLettersBetween(
  sql: Sql,
  logId: string,
  partition: number,
  from: number,
  to: number,
): Promise<Set<string>> {
  const rows = await sql<{ log_offset: string; row_index: number }[]>`
    select log_offset, row_index from dead_letters
    where log_id = ${logId} and log_partition = ${partition} and log_offset >= ${from} and log_offset < ${to}`
  return new Set(rows.map((row) => `${row.log_offset}:${row.row_index}`))
}

/**
 * Appends dead letters to the log again; they keep the time of their receipt, and with it the month of their deduplication.
 * They count as appended anew, so that the ledger still adds up. Those replayed before are left out. Returns the ids that were replayed. Where the process dies between append and commit a
 * letter can be replayed twice, which an insertId makes up for.
 */
export async function replayDeadLetters(sql: Sql, log: EventLog, ids: readonly string[]): Promise<string[]> {
  return sql.begin(async (tx) => {
    const letters = await tx<
      { id: string; log_id: string; log_partition: number; events: number; payload: Buffer }[]
    >`
      update dead_letters set replayed_at = now()
      where id in (select id from dead_letters where id = any(${[...ids]}::uuid[]) and replayed_at is null order by id for update)
      returning id, log_id, log_partition, events, payload`
    for (const letter of letters) {
      const records =
        letter.log_id === log.id
          ? [{ partition: letter.log_partition, payload: letter.payload, events: letter.events }]
          : routed(letter, log)
      if (records.length > 0) await log.append(records)
    }
    return letters.map((letter) => letter.id)
  })
}

/** The records of a letter of another log, by this log's partitions: equal insertIds must still meet. */
function routed({ payload, events }: { payload: Uint8Array; events: number }, log: EventLog): LogRecord[] {
  try {
    return recordsOfRows(payload).map((row) => ({
      partition: partitionOfHash(row.insertHashLow32, log.partitions),
      payload: row.payload,
      events: 1,
    }))
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    return [{ partition: 0, payload, events }]
  }
}
