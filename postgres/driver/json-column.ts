import type { Sql, Transaction } from './client.js'

/** A value for a jsonb column. The driver wants a type of its own for JSON, which no interface fits; callers give what is JSON by construction. */
export function jsonColumn(sql: Sql | Transaction, value: unknown) {
  return sql.json(value as Parameters<Sql['json']>[0])
}
