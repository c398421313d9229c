import { type ClickHouse, ClickHouseError } from '../../clickhouse/port.js'
import { quote } from '../../clickhouse/statements/literal.js'

/**
 * Gives the table an order by hash beside its own, for one month and for what is stored from now on, so that `findStored` reads a few hundred rows a hash
 * instead of the month. Parts that have none yet are read whole: the answer is the same with and without it. Made on demand, since every
 * insert pays for it (a tenth of its time, 17 bytes a row) and only months beyond the memory bound need it. Doing it again changes nothing.
 */
export async function indexHashes(clickhouse: ClickHouse, month: number): Promise<void> {
  const { cluster } = clickhouse.schema
  const table = `events${cluster === undefined ? '' : ` ON CLUSTER ${quote(cluster)}`}`
  // Deleting rows would be refused on a table with projections otherwise.
  await clickhouse.command(
    `ALTER TABLE ${table} MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'`,
  )
  const add = `ALTER TABLE ${table} ADD PROJECTION IF NOT EXISTS by_insert_hash (SELECT insert_hash ORDER BY insert_hash)`
  try {
    await clickhouse.command(`${add} WITH SETTINGS (index_granularity = 256)`)
  } catch (error) {
    // Servers before 26.1 know no settings of a projection: five times the rows are read then, still few of a month's.
    if (!(error instanceof ClickHouseError) || error.code !== 'query') throw error
    await clickhouse.command(add)
  }
  // Done in the background, part by part.
  await clickhouse.command(
    `ALTER TABLE ${table} MATERIALIZE PROJECTION by_insert_hash IN PARTITION ID ${quote(String(month))}`,
    { settings: { mutations_sync: 0 } },
  )
}
