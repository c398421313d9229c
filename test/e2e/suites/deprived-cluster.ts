import type { Test } from 'tap'
import { type Cluster, type StageKind, startCluster } from '../../support/cluster.js'
import type { Deprived } from './stores-gone.js'

/**
 * A gateway, two consumers and a management API on stores that a test can take away.
 *
 * @param needing the stages that cannot work without the store
 */
export async function deprivedCluster(
  t: Test,
  needing: readonly StageKind[],
): Promise<{ readonly cluster: Cluster; readonly service: Deprived }> {
  const cluster = await startCluster({ brokers: 1, consumers: 2, logLevel: 'silent' })
  t.teardown(() => cluster.close())
  const [api] = cluster.stages('api')
  const [gateway] = cluster.stages('ingest')
  if (api?.url === undefined || gateway?.url === undefined) throw new Error('a stage is missing')
  const service = {
    api: api.url,
    ingest: gateway.url,
    keys: cluster.keys,
    needing: needing.flatMap((kind) => cluster.stages(kind)),
    programs: cluster.stages(),
  }
  return { cluster, service }
}
