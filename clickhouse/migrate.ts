import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ConfigError } from '../runtime/config.js'
import { type Migration, pendingMigrations, readMigrations } from '../runtime/migrations.js'
import { packageRoot } from '../runtime/package-root.js'
import { assertNoShard, createDistributedTables } from './distributed-tables.js'
import { waitForInFlightInserts } from './in-flight-inserts.js'
import { indexLinks, isDictionaryLoaded } from './links-on-disk.js'
import { quote } from './literal.js'
import { type ClickHouse, ClickHouseError, type SchemaTarget } from './port.js'

const SCHEMA_FOLDER = join(packageRoot(), 'clickhouse', 'schema')

/**
 * Migrates the schema to this version, on every shard. ClickHouse has no transactions over DDL, so every
 * statement can be repeated, a version is recorded after its statements, and two processes may run at once.
 *
 * On a cluster nothing is asked of all replicas unless something must be done, so a start does not wait for a
 * missing replica. A statement that reads rows fetches other replicas' rows first.
 *
 * @throws MigrationError if a newer or another svc has migrated the store
 * @throws ConfigError if the tables would forget the tokens of blocks, or if shards are missing or confused
 */
export async function migrateClickHouse(
  clickhouse: ClickHouse,
  folder: string = SCHEMA_FOLDER,
): Promise<void> {
  const { shards } = clickhouse
  if (shards === undefined) {
    await assertNoShard(clickhouse)
    await migrateServer(clickhouse, folder)
    return
  }
  await Promise.all(shards.stores.map((shard) => migrateServer(shard, folder)))
  await createDistributedTables(shards)
}

async function migrateServer(clickhouse: ClickHouse, folder: string): Promise<void> {
  const known = readMigrations(folder)
  const target = clickhouse.schema
  const present = target.cluster === undefined ? new Set<string>() : await tablesHere(clickhouse)
  if (!present.has(MIGRATIONS)) await clickhouse.command(render(MIGRATIONS_TABLE, target))
  await fetchRows(clickhouse, [MIGRATIONS])
  const applied = await clickhouse.query<{ version: number; checksum: string }>(
    'SELECT version, any(checksum) AS checksum FROM schema_migrations GROUP BY version ORDER BY version',
  )
  const pending = pendingMigrations('ClickHouse', known, applied.rows)
  if (target.cluster !== undefined)
    await completeReplica(
      clickhouse,
      known.filter((migration) => !pending.includes(migration)),
      present,
    )
  for (const migration of pending) {
    for (const statement of statementsOf(migration, target)) {
      const read = tablesReadBy(statement)
      if (read.includes('events')) await waitForInFlightInserts(clickhouse)
      await fetchRows(clickhouse, read)
      await clickhouse.command(statement)
    }
    await clickhouse.command(
      'INSERT INTO schema_migrations (version, name, checksum) SELECT {version:UInt32}, {name:String}, {checksum:String}',
      { params: { version: migration.version, name: migration.name, checksum: migration.checksum } },
    )
  }
  if (target.kind !== 'server') return
  await checkTables(clickhouse)
  if (target.links === 'memory') await checkDictionary(clickhouse, known)
  else await keepLinksOnDisk(clickhouse, known)
}

const MIGRATIONS = 'schema_migrations'
const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS} @cluster
(
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime DEFAULT now()
)
ENGINE = @engine(ReplacingMergeTree)
ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

/** Tables that blocks go to under their token. */
const UNDER_TOKENS = ['events', 'event_names', 'event_order', 'exposures']
/** As in the schema: number of blocks remembered, and seconds. */
const WINDOW = 10_000
const WINDOW_SECONDS = 2_592_000

/**
 * The statements of a file, separated by a semicolon at the end of a line. No text may contain two dashes.
 */
export function statementsOf(migration: Pick<Migration, 'sql'>, target: SchemaTarget): string[] {
  return migration.sql
    .replace(/--(?! @only ).*$/gm, '')
    .split(/;[ \t]*$/m)
    .filter((statement) => statement.replace(/--.*$/gm, '').trim() !== '')
    .filter((statement) => {
      const only = /^-- @only (\w+)$/m.exec(statement)?.[1]
      return (
        only === undefined || only === target.kind || (only === 'cluster' && target.cluster !== undefined)
      )
    })
    .map((statement) => render(statement, target))
}

/**
 * The fixed uuid of a table. ClickHouse hashes a token together with the uuids of table and view, so replicas
 * recognise a block only if theirs are equal. Other databases of the server have other uuids.
 */
export function tableUuid(database: string, table: string): string {
  const hex = createHash('sha256').update(`${database}.${table}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function render(statement: string, target: SchemaTarget): string {
  const { cluster, database } = target
  const credentials =
    target.credentials === undefined
      ? ''
      : `USER ${quote(target.credentials.user)} PASSWORD ${quote(target.credentials.password)}`
  const bare = statement.replace(/--.*$/gm, '')
  const placed = cluster === undefined ? bare.replaceAll(' @cluster', '') : onCluster(bare, cluster, database)
  return placed
    .replace(/@engine\((\w+)\)/g, (_, engine: string) =>
      cluster === undefined
        ? engine
        : `Replicated${engine}('/clickhouse/tables/{shard}/${database}/{table}', '{replica}')`,
    )
    .replaceAll('@database', database)
    .replaceAll('@credentials', credentials)
    .trim()
}

function onCluster(statement: string, cluster: string, database: string): string {
  return (
    statement
      .replace(
        /(CREATE (?:TABLE|MATERIALIZED VIEW) IF NOT EXISTS (\w+)) @cluster/,
        (_, create: string, table: string) => `${create} UUID ${quote(tableUuid(database, table))} @cluster`,
      )
      // Replicas merge alike; another one might start before it has the inserted rows.
      .replace(/^(\s*OPTIMIZE TABLE \w+) @cluster/, '$1')
      .replaceAll(' @cluster', ` ON CLUSTER ${quote(cluster)}`)
  )
}

/** The tables that a statement reads. Definitions read nothing yet. */
function tablesReadBy(statement: string): string[] {
  if (statement.startsWith('OPTIMIZE'))
    return [...statement.matchAll(/^OPTIMIZE TABLE (\w+)/g)].map(([, name = '']) => name)
  return statement.startsWith('INSERT')
    ? [...statement.matchAll(/\bFROM (\w+)/g)].map(([, name = '']) => name)
    : []
}

/** Fetches rows of other replicas. No effect on a single server. */
async function fetchRows(clickhouse: ClickHouse, tables: readonly string[]): Promise<void> {
  if (clickhouse.schema.cluster === undefined) return
  for (const table of tables) await clickhouse.command(`SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`)
}

async function tablesHere(clickhouse: ClickHouse): Promise<Set<string>> {
  const { rows } = await clickhouse.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  )
  return new Set(rows.map(({ name }) => name))
}

/** Creates what a replica that joined later lacks, and applies later changes. */
async function completeReplica(
  clickhouse: ClickHouse,
  applied: readonly Migration[],
  present: ReadonlySet<string>,
): Promise<void> {
  for (const migration of applied)
    for (const statement of statementsOf(migration, clickhouse.schema)) {
      const name =
        /^(?:CREATE (?:OR REPLACE )?(?:TABLE|MATERIALIZED VIEW|DICTIONARY) (?:IF NOT EXISTS )?|ALTER TABLE )(\w+)/.exec(
          statement,
        )?.[1]
      if (name !== undefined && !present.has(name)) await clickhouse.command(statement)
    }
}

/**
 * The dictionary of links logs in to its own server with the password it was created with. If that password
 * is no longer valid, the dictionary is created again.
 */
async function checkDictionary(clickhouse: ClickHouse, known: readonly Migration[]): Promise<void> {
  try {
    await clickhouse.command('SYSTEM RELOAD DICTIONARY links')
  } catch (error) {
    if (!(error instanceof ClickHouseError && error.type === 'AUTHENTICATION_FAILED')) throw error
    await recreateDictionary(clickhouse, known)
  }
}

/** A dictionary that another setting had loaded is created again, which frees its memory. */
async function keepLinksOnDisk(clickhouse: ClickHouse, known: readonly Migration[]): Promise<void> {
  await indexLinks(clickhouse)
  if (await isDictionaryLoaded(clickhouse)) await recreateDictionary(clickhouse, known)
}

/**
 * Creates the dictionary of links anew: otherwise it asks only for new links, and keeps those removed. If
 * links are on disk, it is loaded only once a process with links in memory asks it.
 */
export async function recreateDictionary(
  clickhouse: ClickHouse,
  known: readonly Migration[] = readMigrations(SCHEMA_FOLDER),
): Promise<void> {
  const definition = known
    .flatMap((migration) => statementsOf(migration, clickhouse.schema))
    .findLast((statement) => DICTIONARY.test(statement))
  if (definition === undefined) throw new Error('the schema defines no dictionary of links')
  await clickhouse.command(definition.replace(DICTIONARY, 'CREATE OR REPLACE DICTIONARY links'))
  if (clickhouse.schema.links === 'memory') await clickhouse.command('SYSTEM RELOAD DICTIONARY links')
}

const DICTIONARY = /^CREATE (?:OR REPLACE )?DICTIONARY (?:IF NOT EXISTS )?links\b/

/** Checks that the tables match the schema in everything that exactly-once depends on. */
async function checkTables(clickhouse: ClickHouse): Promise<void> {
  const { cluster, database } = clickhouse.schema
  const { rows } = await clickhouse.query<{ name: string; uuid: string; definition: string }>(
    `SELECT name, toString(uuid) AS uuid, engine_full AS definition FROM system.tables
     WHERE database = currentDatabase() AND name IN {names:Array(String)}`,
    { params: { names: UNDER_TOKENS } },
  )
  for (const { name, uuid, definition } of rows) {
    const refuse = (problem: string): never => {
      throw new ConfigError(
        'SVC_CLICKHOUSE_URL',
        `leads to a table ${database}.${name} ${problem}: docs/operate/cluster.md says why`,
      )
    }
    const setting = (of: string) => Number(new RegExp(`\\b${of} = (\\d+)`).exec(definition)?.[1] ?? 0)
    if (/^Replicated/.test(definition) !== (cluster !== undefined))
      refuse(
        cluster === undefined
          ? 'that is replicated, without SVC_CLICKHOUSE_CLUSTER'
          : 'that is not replicated',
      )
    if (cluster === undefined) {
      if (setting('non_replicated_deduplication_window') < WINDOW)
        refuse(`whose non_replicated_deduplication_window is below ${WINDOW}`)
      continue
    }
    if (setting('replicated_deduplication_window') < WINDOW)
      refuse(`whose replicated_deduplication_window is below ${WINDOW}`)
    if (setting('replicated_deduplication_window_seconds') < WINDOW_SECONDS)
      refuse(`whose replicated_deduplication_window_seconds is below ${WINDOW_SECONDS}`)
    if (uuid !== tableUuid(database, name))
      refuse('with another uuid, under which tokens of other replicas are unknown')
  }
}
