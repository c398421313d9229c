import type { Sql, Transaction } from '../../postgres/driver/client.js'

/** What could not be stored, with the reason, as a record that can be read by itself. */
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
        ${reasonText(letter.reason)}, ${letter.events}, ${Buffer.from(letter.payload)})
      on conflict (log_id, log_partition, log_offset, row_index) do nothing`
}

/** A reason as it is kept. Engines quote the rows they refuse, and Postgres takes no NUL in a text. */
export function reasonText(reason: string): string {
  return reason.slice(0, 2_000).replaceAll('\0', '\ufffd')
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
