import type { ClickHouseClient } from '@clickhouse/client'
import { ConfigError } from '../../runtime/config.js'
import { ClickHouseError, type SchemaTarget, type SettingValue } from '../port.js'
import { QUERY_SETTINGS } from '../statements/settings.js'
import { assertFromClickHouse, settingTexts } from './http-message.js'

/** The oldest long-term release that knows all settings svc sends. Tokens cover views since 24.7. */
const OLDEST = '25.8'
/** These do not deduplicate an INSERT … SELECT, whatever its token. Later versions have a setting for it. */
const WITHOUT_TOKENS = ['25.12', '26.1']
/** Database engines that create another table than the one requested. */
const OTHER_ENGINES = ['Replicated', 'Shared']
const MACROS = ['shard', 'replica']

/** Facts that decide whether a server can hold svc's tables. */
export interface ServerFacts {
  /** The value of `version()`. */
  readonly version: string
  /** Empty if the database does not exist yet. */
  readonly databaseEngine: string
  /** Those of `TOKEN_SETTINGS` that the server knows. */
  readonly tokenSettings: readonly string[]
  /** Shards and macros; 0 and empty unless a cluster is named. */
  readonly shards: number
  readonly macros: readonly string[]
}

/** Newer servers' settings about tokens, with the values of older ones. A server refuses unknown names. */
const TOKEN_SETTINGS: Readonly<Record<string, string>> = {
  deduplicate_insert: 'enable',
  deduplicate_insert_select: 'enable_even_for_bad_queries',
}

/**
 * Acknowledged means that more than half of the replicas hold the block. Otherwise the outcome is unknown,
 * and the block is sent again under its token. In parallel, or consumers would refuse each other's blocks.
 */
export const QUORUM: Readonly<Record<string, SettingValue>> = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  // Below the time limit of an insert.
  insert_quorum_timeout: 20_000,
}

/** Insert settings that depend on the server, beside those of `eventInsertSettings`. */
export function insertSettings(
  facts: Pick<ServerFacts, 'tokenSettings'>,
  cluster: string | undefined,
): Readonly<Record<string, SettingValue>> {
  const known = Object.entries(TOKEN_SETTINGS).filter(([name]) => facts.tokenSettings.includes(name))
  return {
    ...Object.fromEntries(known),
    // A failing view must fail the insert, or the vocabulary would count too few events forever.
    materialized_views_ignore_errors: 0,
    ...(cluster === undefined ? {} : QUORUM),
  }
}

/** Asks a server for what decides whether it can hold the tables. */
export async function readServerFacts(
  client: ClickHouseClient,
  { database, cluster }: Pick<SchemaTarget, 'database' | 'cluster'>,
  abort_signal: AbortSignal,
): Promise<ServerFacts> {
  const ofCluster =
    cluster === undefined
      ? '0 AS shards, [] AS macros'
      : `(SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = {cluster:String}) AS shards,
         (SELECT groupArray(macro) FROM system.macros) AS macros`
  const result = await client.query({
    query: `SELECT version() AS version,
      (SELECT any(engine) FROM system.databases WHERE name = {database:String}) AS databaseEngine,
      (SELECT groupArray(name) FROM system.settings WHERE name IN {settings:Array(String)}) AS tokenSettings, ${ofCluster}`,
    format: 'JSON',
    query_params: { database, cluster, settings: Object.keys(TOKEN_SETTINGS) },
    clickhouse_settings: settingTexts(QUERY_SETTINGS),
    abort_signal,
  })
  assertFromClickHouse(result)
  const { data } = await result.json<ServerFacts>()
  const [facts] = data
  if (facts === undefined) throw new ClickHouseError('unavailable', 'ClickHouse says nothing of itself')
  return facts
}

/**
 * Refuses a server on which events could be lost or doubled, and a cluster whose other shards are unknown.
 * @throws ConfigError
 */
export function assertSupportedServer(facts: ServerFacts, cluster: string | undefined): void {
  const { version, databaseEngine, shards, macros } = facts
  const refuse = (problem: string): never => {
    throw new ConfigError(cluster === undefined ? 'SVC_CLICKHOUSE_URL' : 'SVC_CLICKHOUSE_CLUSTER', problem)
  }
  if (isOlder(version, OLDEST)) refuse(`leads to ClickHouse ${version}: ${OLDEST} or later is needed`)
  if (WITHOUT_TOKENS.some((release) => version.startsWith(`${release}.`)))
    refuse(
      `leads to ClickHouse ${version}, which may store a repeated insert twice: take an earlier or a later release`,
    )
  if (OTHER_ENGINES.includes(databaseEngine))
    refuse(
      `leads to a database of the engine ${databaseEngine}: an Atomic one is needed, which svc makes where there is none`,
    )
  if (cluster === undefined) return
  if (shards === 0) refuse(`is ${cluster}, and the server knows no cluster of that name (system.clusters)`)
  if (shards > 1)
    refuse(
      `is ${cluster}, which has ${shards} shards, and SVC_CLICKHOUSE_URL has one address: one of each shard is needed`,
    )
  for (const macro of MACROS)
    if (!macros.includes(macro))
      refuse(`needs the macro {${macro}} in the server's configuration: its tables are replicated under it`)
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
