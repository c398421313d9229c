import type { ClickHouseClient } from '@clickhouse/client'
import { ConfigError } from '../../runtime/config.js'
import { ClickHouseError, type SchemaTarget, type SettingValue } from '../port.js'
import { QUERY_SETTINGS } from '../statements/settings.js'
import { assertFromClickHouse, settingTexts } from './http-message.js'

/** The oldest long-term release that knows every setting that is sent; tokens cover dependent views since 24.7. */
const OLDEST = '25.8'
/** These take an INSERT … SELECT for one that cannot be deduplicated, whatever its token says. Later ones have a setting for it. */
const WITHOUT_TOKENS = ['25.12', '26.1']
/** Engines of databases that put another table in the place of the one that was asked for. */
const OTHER_ENGINES = ['Replicated', 'Shared']
const MACROS = ['shard', 'replica']

/** What decides whether a server can hold the service's tables. */
export interface ServerFacts {
  /** As `version()` gives it. */
  readonly version: string
  /** Empty where the database does not exist yet. */
  readonly databaseEngine: string
  /** Of the settings in `TOKEN_SETTINGS`, those the server knows. */
  readonly tokenSettings: readonly string[]
  /** Shards and macros; asked for where a cluster is named, and 0 and none otherwise. */
  readonly shards: number
  readonly macros: readonly string[]
}

/** Rules of newer servers on what tokens cover, with the value that makes them those of the older ones. A server refuses a name that it does not know. */
const TOKEN_SETTINGS: Readonly<Record<string, string>> = {
  deduplicate_insert: 'enable',
  deduplicate_insert_select: 'enable_even_for_bad_queries',
}

/**
 * Acknowledged means: held by more than half of the replicas. A block that did not get that far is UNKNOWN_STATUS_OF_INSERT, and sent again under its token it
 * waits for the same quorum again. In parallel, or consumers would refuse each other's blocks.
 */
export const QUORUM: Readonly<Record<string, SettingValue>> = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  // Below the time an insert is given.
  insert_quorum_timeout: 20_000,
}

/** The settings of an insert that the server's own rules ask for, beside those of `eventInsertSettings`. */
export function insertSettings(
  facts: Pick<ServerFacts, 'tokenSettings'>,
  cluster: string | undefined,
): Readonly<Record<string, SettingValue>> {
  const known = Object.entries(TOKEN_SETTINGS).filter(([name]) => facts.tokenSettings.includes(name))
  return {
    ...Object.fromEntries(known),
    // A view that fails must fail the insert, or the vocabulary counts short for good.
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
 * Refuses a server on which events could be lost or doubled, or whose cluster has more than the one shard that tables, tokens and dictionary are made for.
 *
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
      `is ${cluster}, which has ${shards} shards: svc needs a cluster of one shard, with any number of replicas`,
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
