import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { splitAddresses } from '../../runtime/config.js'
import { readDatabaseOf } from '../distributed-tables.js'
import { identifier, quote } from '../literal.js'
import type { ClickHouse, LinkStorage, SchemaTarget } from '../port.js'
import { inTime, QUERY_MS, RemoteClickHouse } from './remote-clickhouse.js'
import { assertSupportedServer, insertSettings, readServerFacts } from './server.js'
import { inShardOrder } from './shard-order.js'
import { ShardedClickHouse } from './sharded-clickhouse.js'

/** Longer than any statement may run: the server's own limit should strike first. */
const REQUEST_MS = 300_000
const CONNECTIONS = 16
/** For reading the server's facts at start; a database may have to be created on every replica. */
const ASK_MS = 8_000

export interface RemoteOptions {
  /**
   * `http(s)://user:password@host:8123/database`; user and database default to `default`. Several addresses,
   * separated by commas, are those of the shards.
   */
  readonly url: string
  /**
   * With one address the cluster of one shard with the tables, to a replica or load balancer of which the
   * URL leads. With several the cluster of these shards.
   */
  readonly cluster?: string | undefined
  /** @default 'memory' */
  readonly links?: LinkStorage | undefined
}

/**
 * Connects to ClickHouse servers over HTTP and creates the database if it is missing.
 * @throws ClickHouseError `unavailable` if a server cannot be reached, `denied` if it refuses the user
 * @throws ConfigError if the servers or the cluster cannot keep svc's promises
 */
export async function openRemoteClickHouse({
  url,
  cluster,
  links = 'memory',
}: RemoteOptions): Promise<ClickHouse> {
  const addresses = splitAddresses(url).map(parseAddress)
  const [only, ...others] = addresses
  if (only === undefined || others.length === 0 || cluster === undefined)
    return openServer(parseAddress(url), cluster, links)
  const opening = addresses.map(async (address) => ({
    address,
    server: await openServer(address, undefined, links),
  }))
  try {
    const [first, ...rest] = await inShardOrder(await Promise.all(opening), cluster)
    const servers: [RemoteClickHouse, ...RemoteClickHouse[]] = [
      first.server,
      ...rest.map(({ server }) => server),
    ]
    const readers = [first, ...rest].map(
      ({ address, server }) =>
        new RemoteClickHouse(
          connect(address, readDatabaseOf(address.database)),
          connect(address, undefined),
          server.schema,
          {},
          servers.filter((other) => other !== server),
        ),
    )
    return new ShardedClickHouse(servers, readers, cluster)
  } catch (error) {
    for (const opened of await Promise.allSettled(opening))
      if (opened.status === 'fulfilled') await opened.value.server.close()
    throw error
  }
}

interface ServerAddress {
  readonly origin: string
  readonly user: string
  readonly password: string
  readonly database: string
}

function parseAddress(url: string): ServerAddress {
  const { origin, username, password, pathname } = new URL(url)
  return {
    origin,
    user: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.replace(/^\/|\/$/g, '')) || 'default',
  }
}

function connect({ origin, user, password }: ServerAddress, database: string | undefined): ClickHouseClient {
  return createClient({
    url: origin,
    username: user,
    password,
    ...(database === undefined ? {} : { database }),
    application: 'svc',
    // The caller gets the error; the client would log statements and values.
    log: { level: ClickHouseLogLevel.OFF },
    request_timeout: REQUEST_MS,
    max_open_connections: CONNECTIONS,
    // Values too long for a URL travel in the body.
    use_multipart_params_auto: true,
    // An error must arrive as one, not at the end of an answer that began well.
    clickhouse_settings: { wait_end_of_query: 1 },
  })
}

async function openServer(
  address: ServerAddress,
  cluster: string | undefined,
  links: LinkStorage,
): Promise<RemoteClickHouse> {
  const { user, password, database } = address
  const schema: SchemaTarget = { kind: 'server', database, cluster, links, credentials: { user, password } }
  const anywhere = connect(address, undefined)
  try {
    const facts = await inTime(ASK_MS, (abort_signal) => readServerFacts(anywhere, schema, abort_signal))
    assertSupportedServer(facts, cluster)
    const onCluster = cluster === undefined ? '' : ` ON CLUSTER ${quote(cluster)}`
    // Only if needed: a missing replica would delay every start.
    if (facts.databaseEngine === '')
      await inTime(QUERY_MS, (abort_signal) =>
        anywhere.command({
          query: `CREATE DATABASE IF NOT EXISTS ${identifier(database)}${onCluster}`,
          abort_signal,
        }),
      )
    const inserting = insertSettings(facts, cluster)
    return new RemoteClickHouse(connect(address, database), connect(address, undefined), schema, inserting)
  } finally {
    await anywhere.close()
  }
}
