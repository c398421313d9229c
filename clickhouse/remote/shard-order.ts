import { ConfigError } from '../../runtime/config.js'
import { quote } from '../literal.js'
import { type ClickHouse, ClickHouseError } from '../port.js'

interface Shard {
  readonly address: { readonly origin: string }
  readonly server: ClickHouse
}

interface ShardFacts {
  readonly shards: number
  readonly replicas: number
  /** Of this server's database. */
  readonly uuid: string
}

/**
 * Puts servers into the order of a cluster's shards. Each server is asked for the uuid of every shard's
 * database, so that all of them are known to reach each other and to mean the same by each number.
 * @throws ConfigError if they are not exactly the shards of the cluster, each of one replica
 */
export async function inShardOrder<T extends Shard>(
  servers: readonly T[],
  cluster: string,
): Promise<readonly [T, ...T[]]> {
  const refuse = (problem: string): never => {
    throw new ConfigError('SVC_CLICKHOUSE_CLUSTER', `is ${cluster}, ${problem}`)
  }
  const owns = new Map<string, T>()
  for (const shard of servers) {
    const { shards, replicas, uuid } = await readFacts(shard.server, cluster)
    const { origin } = shard.address
    if (shards === 0) refuse(`and ${origin} knows no cluster of that name (system.clusters)`)
    if (replicas > 1)
      refuse('whose shards have several replicas: svc needs one replica of each shard, or one shard')
    if (shards !== servers.length)
      refuse(
        `which has ${shards} shards according to ${origin}, and SVC_CLICKHOUSE_URL has ${servers.length} addresses: one of each shard is needed`,
      )
    const before = owns.get(uuid)
    if (before !== undefined) refuse(`and ${before.address.origin} and ${origin} are the same shard of it`)
    owns.set(uuid, shard)
  }
  const [order = [], ...others] = await Promise.all(
    servers.map(({ server }) => uuidsByShard(server, cluster)),
  )
  if (others.some((other) => other.join() !== order.join()))
    refuse('and the servers do not agree which one is which shard of it')
  const [first, ...rest] = order.flatMap((uuid) => owns.get(uuid) ?? [])
  if (first === undefined || rest.length !== servers.length - 1)
    return refuse('and its shards are other servers than those of SVC_CLICKHOUSE_URL')
  return [first, ...rest]
}

async function readFacts(server: ClickHouse, cluster: string): Promise<ShardFacts> {
  const { rows } = await server.query<ShardFacts>(
    `SELECT uniqExact(shard_num) AS shards, max(replica_num) AS replicas,
       (SELECT toString(uuid) FROM system.databases WHERE name = {database:String}) AS uuid
     FROM system.clusters WHERE cluster = {cluster:String}`,
    { params: { cluster, database: server.schema.database } },
  )
  const [facts] = rows
  if (facts === undefined) throw new ClickHouseError('unavailable', 'ClickHouse says nothing of its clusters')
  return facts
}

async function uuidsByShard(server: ClickHouse, cluster: string): Promise<readonly string[]> {
  const { rows } = await server.query<{ uuid: string }>(
    `SELECT toString(uuid) AS uuid FROM cluster(${quote(cluster)}, system.databases)
     WHERE name = {database:String} ORDER BY shardNum()`,
    { params: { database: server.schema.database } },
  )
  return rows.map(({ uuid }) => uuid)
}
