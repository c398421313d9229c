import type PgBoss from 'pg-boss'
import type { Sql, Transaction } from '../../postgres/driver/client.js'

/** How the library writes what has to be one transaction: as one text of statements. */
const TRANSACTION = /^\s*BEGIN;([\s\S]*)COMMIT;\s*$/

/** Lets the library speak over the service's own connections: it opens none itself. */
export function libraryConnection(sql: Sql): PgBoss.Db {
  return {
    async executeSql(text, values) {
      const statements = TRANSACTION.exec(text)?.[1]
      // Begun here, so that a failure in the middle is rolled back and no one else's statement comes between.
      if (statements !== undefined) return sql.begin((tx) => execute(tx, statements))
      return execute(sql, text, values)
    },
  }
}

/** The same over the connection of a transaction, for what shall be part of it. */
export function transactionConnection(tx: Transaction): PgBoss.Db {
  return { executeSql: (text, values) => execute(tx, TRANSACTION.exec(text)?.[1] ?? text, values) }
}

async function execute(
  sql: Sql | Transaction,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ rows: object[] }> {
  // The library leaves out what it does not set, which this driver refuses.
  const parameters = values.map((value) => (value ?? null) as string | null)
  const rows = await sql.unsafe(text, parameters)
  return { rows: [...rows] }
}
