import type { PlayedReplica } from './http.js'

/**
 * One replica of a cluster, played by an engine that cannot be one. Parts of statements that need other
 * servers are left out (ON CLUSTER, names of replicated engines, fetching from others), and the answers about
 * the cluster are added. Everything else really runs.
 */
export interface Replica extends PlayedReplica {
  /** Statements as received, for tests of what was sent. */
  readonly statements: string[]
  /** One server, unless a test puts in others. */
  name(statement: string): string
}

export function playReplica(
  cluster: string,
  facts: { shards?: number; macros?: readonly string[] } = {},
): Replica {
  const { shards = 1, macros = ['shard', 'replica'] } = facts
  return {
    statements: [],
    name: () => 'replica-1',
    playable(statement) {
      this.statements.push(statement)
      if (statement.startsWith('SYSTEM SYNC REPLICA')) return 'SELECT 1'
      return statement
        .replace(/ ON CLUSTER '\w+'/, '')
        .replace(/clusterAllReplicas\('\w+', ([\w.]+)\)/, '$1')
        .replace(/\bReplicated(\w+)\('[^']*', '[^']*'\)/, '$1')
        .replace('engine_full AS definition', "concat('Replicated', engine_full) AS definition")
        .replace(
          'FROM system.clusters',
          `FROM (SELECT '${cluster}' AS cluster, arrayJoin(range(${shards})) AS shard_num)`,
        )
        .replace(
          'FROM system.macros',
          `FROM (SELECT arrayJoin(CAST([${macros.map((macro) => `'${macro}'`).join()}], 'Array(String)')) AS macro)`,
        )
    },
  }
}
