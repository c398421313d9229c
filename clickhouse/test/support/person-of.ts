import { quote } from '../../literal.js'
import type { ClickHouse } from '../../port.js'

/** SQL of the `key` of the person of each row with a `person_key`. */
export function personOfSql(clickhouse: ClickHouse, workspaceId: string, rows: string): string {
  const { key, linked } = clickhouse.personSql(`toUUID(${quote(workspaceId)})`)
  return `SELECT toString(${key}) AS key FROM (${linked(rows)})`
}

/** The person of one stored key. */
export async function personOf(
  clickhouse: ClickHouse,
  workspaceId: string,
  storedKey: bigint,
): Promise<string | undefined> {
  const { rows } = await clickhouse.query<{ key: string }>(
    personOfSql(clickhouse, workspaceId, `SELECT toUInt64('${storedKey}') AS person_key`),
  )
  return rows[0]?.key
}
