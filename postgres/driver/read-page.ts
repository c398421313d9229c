import type postgres from 'postgres'
import type { Sql } from './client.js'

export interface PageOfRows<Row> {
  readonly rows: readonly Row[]
  /** Over all pages. */
  readonly total: number
}

/**
 * One page of rows, newest first, and their total.
 *
 * @param from table and condition
 * @param time the column that orders them; of equal times the greater id comes first
 */
export async function readPage<Row extends object>(
  sql: Sql,
  columns: postgres.Fragment,
  from: postgres.Fragment,
  time: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<Row>> {
  const [[counted], rows] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from ${from}`,
    sql<
      Row[]
    >`select ${columns} from ${from} order by ${sql(time)} desc, id desc limit ${limit} offset ${offset}`,
  ])
  return { rows, total: counted?.total ?? 0 }
}
