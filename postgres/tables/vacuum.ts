import type { Sql } from '../driver/client.js'

/**
 * Removes deleted rows from tables. `full` writes the tables anew, so that no bytes of the rows stay in their
 * files; no statement can use a table meanwhile.
 */
export async function vacuumTables(sql: Sql, tables: readonly string[], full: boolean): Promise<void> {
  for (const table of tables) await sql`vacuum ${full ? sql`(full)` : sql``} ${sql(table)}`
}
