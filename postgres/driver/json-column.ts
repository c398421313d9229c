import type { Sql, Transaction } from './client.js'

/**
 * A value for a jsonb column. The driver's JSON type fits no interface; callers pass values that are JSON by
 * construction.
 */
export function jsonColumn(sql: Sql | Transaction, value: unknown) {
  return sql.json(value as Parameters<Sql['json']>[0])
}
