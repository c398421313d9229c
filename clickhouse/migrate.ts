import { join } from 'node:path'
import { type Migration, pendingMigrations, readMigrations } from '../runtime/migrations.js'
import { packageRoot } from '../runtime/package-root.js'
import { quote } from './literal.js'
import type { ClickHouse, SchemaTarget } from './port.js'

/**
 * Brings the schema up to this version's. ClickHouse has no transactions over DDL, so every statement can be run again, a version is noted
 * after its statements, and two processes at once do each other no harm.
 *
 * @throws MigrationRefused where a newer or another svc has migrated the store
 */
export async function migrateClickHouse(
  clickhouse: ClickHouse,
  folder: string = join(packageRoot(), 'clickhouse', 'schema'),
): Promise<void> {
  const known = readMigrations(folder)
  const target = clickhouse.schema
  await clickhouse.command(render(MIGRATIONS_TABLE, target))
  const applied = await clickhouse.query<{ version: number; checksum: string }>(
    'SELECT version, any(checksum) AS checksum FROM schema_migrations GROUP BY version ORDER BY version',
  )
  for (const migration of pendingMigrations('ClickHouse', known, applied.rows)) {
    for (const statement of statementsOf(migration, target)) await clickhouse.command(statement)
    await clickhouse.command(
      'INSERT INTO schema_migrations (version, name, checksum) SELECT {version:UInt32}, {name:String}, {checksum:String}',
      { params: { version: migration.version, name: migration.name, checksum: migration.checksum } },
    )
  }
}

const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations @cluster
(
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime DEFAULT now()
)
ENGINE = @engine(ReplacingMergeTree)
ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

/** The statements of a file for a target: separated by a semicolon at the end of a line. No text in them may hold two dashes. */
export function statementsOf(migration: Pick<Migration, 'sql'>, target: SchemaTarget): string[] {
  return migration.sql
    .replace(/--(?! @only ).*$/gm, '')
    .split(/;[ \t]*$/m)
    .filter((statement) => statement.replace(/--.*$/gm, '').trim() !== '')
    .filter((statement) => {
      const only = /^-- @only (\w+)$/m.exec(statement)?.[1]
      return only === undefined || only === target.kind
    })
    .map((statement) => render(statement, target))
}

function render(statement: string, target: SchemaTarget): string {
  const credentials =
    target.credentials === undefined
      ? ''
      : `USER ${quote(target.credentials.user)} PASSWORD ${quote(target.credentials.password)}`
  return statement
    .replace(/--.*$/gm, '')
    .replaceAll(' @cluster', target.cluster === undefined ? '' : ` ON CLUSTER ${quote(target.cluster)}`)
    .replace(/@engine\((\w+)\)/g, (_, engine: string) =>
      target.cluster === undefined
        ? engine
        : `Replicated${engine}('/clickhouse/tables/{shard}/${target.database}/{table}', '{replica}')`,
    )
    .replaceAll('@database', target.database)
    .replaceAll('@credentials', credentials)
    .trim()
}
