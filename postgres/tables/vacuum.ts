import { connectForMaintenance, type Sql } from '../driver/client.js'

/** A full vacuum that waits for its lock holds up everyone who comes later. */
const LOCK_MS = 2_000

/**
 * Removes deleted rows from tables, however long that takes. `full` writes the tables anew, so that no bytes
 * of the rows stay in their files; no statement can use a table meanwhile.
 *
 * @throws if another transaction uses a table for longer than two seconds; nothing has changed then
 */
export async function vacuumTables(
  sql: Sql,
  tables: readonly string[],
  full: boolean,
  signal: AbortSignal,
): Promise<void> {
  const patient = connectForMaintenance(sql, LOCK_MS)
  try {
    for (const table of tables) {
      signal.throwIfAborted()
      const vacuum = patient`vacuum ${full ? patient`(full)` : patient``} ${patient(table)}`
      const cancel = (): void => vacuum.cancel()
      signal.addEventListener('abort', cancel, { once: true })
      try {
        await vacuum
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    }
  } finally {
    await patient.end({ timeout: 1 })
  }
}
