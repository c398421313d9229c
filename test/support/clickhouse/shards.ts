import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type ClickHouseServer, freeServerPorts, startClickHouseServer } from './server.js'

/** The cluster of all shards in the configuration of each server, as SVC_CLICKHOUSE_CLUSTER names it. */
export const SHARDS_CLUSTER = 'svc_shards'

/**
 * Starts `count` servers, each the one replica of a shard of SHARDS_CLUSTER, in the order of the shards.
 * Their data is in `folder/shard-N`: on the folder of an earlier cluster, more shards can be started.
 */
export async function startClickHouseShards(folder: string, count: number): Promise<ClickHouseServer[]> {
  const places = await Promise.all(Array.from({ length: count }, () => freeServerPorts()))
  const orderly = await Promise.all(places.map(({ tcpPort }) => startOrderlyProxy(tcpPort)))
  const shards = orderly.map(
    (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  )
  // With a secret, servers query each other as the user that asked.
  const remote = `<remote_servers>
    <${SHARDS_CLUSTER}><secret>shared by the shards</secret>${shards.join('')}</${SHARDS_CLUSTER}>
  </remote_servers>`
  const starting = places.map((ports, index) =>
    startClickHouseServer(
      join(folder, `shard-${index + 1}`),
      () => `<macros><shard>${index + 1}</shard><replica>replica-1</replica></macros>${remote}`,
      ports,
    ),
  )
  try {
    return await Promise.all(starting)
  } catch (error) {
    for (const started of await Promise.allSettled(starting))
      if (started.status === 'fulfilled') await started.value.kill()
    throw error
  }
}

/**
 * Starts a proxy, while this process lives, behind which no connection is reset: a server resets that of a
 * query which it gives up, and the engine's library has no handler for this and aborts. ClickHouse has one.
 * @returns the port of the proxy
 */
async function startOrderlyProxy(target: number): Promise<number> {
  const listener = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: target })
    near.pipe(far).pipe(near)
    far.on('error', () => near.destroy())
    near.on('error', () => {
      far.end()
      far.resume()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  listener.unref()
  return (listener.address() as AddressInfo).port
}
