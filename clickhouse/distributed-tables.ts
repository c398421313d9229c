import { ConfigError } from '../runtime/config.js'
import { reloadLinks } from './links-on-disk.js'
import { identifier, quote } from './literal.js'
import type { ClickHouse, Shards } from './port.js'

/*
 * Each shard has a second database, whose tables have the names of the first one's and read it on all shards,
 * so that a query's text is the same with and without shards. Links are on every shard and are read from one.
 * The comment of that database is the number of the shard.
 */

const LINKS = 'identity_links'

/** The database whose tables read all shards. */
export function readDatabaseOf(database: string): string {
  return `${database}_all`
}

/**
 * Completes migrated shards: a new one gets the links, and each gets the tables that read all of them.
 * Can be repeated, also by two processes at once.
 * @throws ConfigError if a shard has changed its number or is missing, or had events before it was a shard
 */
export async function createDistributedTables({ cluster, stores }: Shards): Promise<void> {
  for (const [index, shard] of stores.entries()) await prepareShard(shard, index + 1, cluster)
  for (const shard of stores) await refuseRemoval(shard, cluster, stores.length)
  await Promise.all(stores.map((shard) => createTables(shard, cluster)))
}

/**
 * Refuses a single server that is one of several shards: queries would leave out the events of the others.
 * @throws ConfigError
 */
export async function assertNoShard(clickhouse: ClickHouse): Promise<void> {
  const number = await shardNumber(clickhouse)
  if (number !== undefined)
    throw new ConfigError(
      'SVC_CLICKHOUSE_URL',
      `leads to ${number} of a cluster: the addresses of all its shards are needed, and SVC_CLICKHOUSE_CLUSTER`,
    )
}

async function shardNumber(shard: ClickHouse): Promise<string | undefined> {
  const { rows } = await shard.query<{ number: string }>(
    'SELECT comment AS number FROM system.databases WHERE name = {name:String}',
    { params: { name: readDatabaseOf(shard.schema.database) } },
  )
  return rows[0]?.number
}

async function prepareShard(shard: ClickHouse, number: number, cluster: string): Promise<void> {
  const refuse = (problem: string): never => {
    throw new ConfigError('SVC_CLICKHOUSE_CLUSTER', `is ${cluster}, whose shard ${number} ${problem}`)
  }
  const comment = `shard ${number}`
  const known = await shardNumber(shard)
  if (known === comment) return
  if (known !== undefined) refuse(`was ${known} before: shards keep their order, and new ones come last`)
  const { database } = shard.schema
  if (number > 1) {
    const { rows } = await shard.query('SELECT 1 FROM events LIMIT 1')
    if (rows.length > 0) refuse('holds events from before it was a shard: that server has to be shard 1')
    await copyLinks(shard, cluster)
  }
  // Last, as it marks the shard as complete.
  await shard.command(
    `CREATE DATABASE IF NOT EXISTS ${identifier(readDatabaseOf(database))} ENGINE = Atomic COMMENT ${quote(comment)}`,
  )
}

/** Gives a new shard the links of the first one. */
async function copyLinks(shard: ClickHouse, cluster: string): Promise<void> {
  const links = tableName(shard.schema.database, LINKS)
  await shard.command(
    `INSERT INTO ${LINKS} (workspace_id, anonymous_key, user_key)
     SELECT workspace_id, anonymous_key, user_key FROM cluster(${quote(cluster)}, ${links}) WHERE shardNum() = 1`,
  )
  // Loads them, because their time is that of the copy.
  await reloadLinks(shard)
}

/** A stage whose variables are older than a new shard would make queries of all stages leave it out. */
async function refuseRemoval(shard: ClickHouse, cluster: string, count: number): Promise<void> {
  const { rows } = await shard.query<{ name: string; shards: number }>(
    `SELECT cluster AS name, uniqExact(shard_num) AS shards FROM system.clusters
     WHERE cluster IN (
       SELECT extract(engine_full, '^Distributed\\\\(\\'([^\\']+)\\'') FROM system.tables WHERE database = {reading:String})
     GROUP BY cluster HAVING shards > {count:UInt32}`,
    { params: { reading: readDatabaseOf(shard.schema.database), count } },
  )
  const [before] = rows
  if (before !== undefined)
    throw new ConfigError(
      'SVC_CLICKHOUSE_CLUSTER',
      `is ${cluster} with ${count} shards, and there are ${before.shards} in ${before.name}: a shard cannot be removed`,
    )
}

interface TableShape {
  readonly database: string
  readonly name: string
  readonly engine: string
  readonly columns: readonly unknown[]
}

async function createTables(shard: ClickHouse, cluster: string): Promise<void> {
  const { database } = shard.schema
  const reading = readDatabaseOf(database)
  const { rows } = await shard.query<TableShape>(
    `SELECT database, name, engine_full AS engine, columns FROM system.tables
     LEFT JOIN (
       SELECT database, table AS name, arraySort(groupArray((position, name, type))) AS columns
       FROM system.columns WHERE database IN {databases:Array(String)} GROUP BY database, table
     ) AS described USING (database, name)
     WHERE database IN {databases:Array(String)}`,
    { params: { databases: [database, reading] } },
  )
  const stored = rows.filter((table) => table.database === database && /MergeTree/.test(table.engine))
  for (const { name, columns } of stored) {
    const [from, to] = [tableName(database, name), tableName(reading, name)]
    const engine = `Distributed(${[cluster, database, name].map(quote).join(', ')})`
    const present = rows.find((table) => table.database === reading && table.name === name)
    const isView = name === LINKS
    const isSame =
      (isView || present?.engine === engine) && JSON.stringify(present?.columns) === JSON.stringify(columns)
    if (present !== undefined && isSame) continue
    const create = present === undefined ? ['CREATE', 'IF NOT EXISTS'] : ['CREATE OR REPLACE', '']
    await shard.command(
      isView
        ? `${create[0]} VIEW ${create[1]} ${to} AS SELECT * FROM ${from}`
        : `${create[0]} TABLE ${create[1]} ${to} AS ${from} ENGINE = ${engine}`,
    )
  }
}

function tableName(database: string, table: string): string {
  return `${identifier(database)}.${identifier(table)}`
}
