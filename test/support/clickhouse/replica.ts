import type { PlayedReplica } from './recording-proxy.js'

/**
 * One replica of a cluster, played by a server without Keeper, which cannot replicate. Parts of statements
 * that need other replicas are left out: ON CLUSTER, names of replicated engines, fetching from others.
 * Everything else really runs.
 */
export interface Replica extends PlayedReplica {
  /** Statements as received, for tests of what was sent. */
  readonly statements: string[]
  /** One server, unless a test puts in others. */
  name(statement: string): string
}

export function playReplica(): Replica {
  return {
    statements: [],
    name: () => 'replica-1',
    playable(statement) {
      this.statements.push(statement)
      if (statement.startsWith('SYSTEM SYNC REPLICA')) return 'SELECT 1'
      return statement
        .replace(/ ON CLUSTER '\w+'/, '')
        .replace(/\bReplicated(\w+)\('[^']*', '[^']*'\)/, '$1')
        .replace('engine_full AS definition', "concat('Replicated', engine_full) AS definition")
    },
  }
}
