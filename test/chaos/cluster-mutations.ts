import type { ClientRole } from './clients.js'
import { CLUSTER_FAULTS, gatewayFaultAt } from './cluster-faults.js'
import type { ClusterSystem } from './cluster-system.js'
import { type Fault, faultsNamed } from './faults.js'
import type { Mutation } from './mutations.js'

const named = (names: readonly string[]): Fault<ClusterSystem>[] => faultsNamed(names, CLUSTER_FAULTS)

/** Without insertIds nothing hides what is recorded twice. */
const PLAIN: readonly ClientRole[] = Array.from({ length: 8 }, () => ({ kind: 'plain', most: 200 }))

/** What is acknowledged is committed. */
export const COMMIT_MUTATIONS: readonly Mutation<ClusterSystem>[] = [
  {
    name: 'a request is answered before its transaction is committed',
    patches: [
      {
        file: 'log/kafka/append/append.js',
        from: 'this.queue.hold(group);',
        to: "this.queue.hold(group); this.queue.accept(group); await pause(50); this.options.faultPoint?.('kafka:answered');",
      },
    ],
    faults: [gatewayFaultAt('kafka:answered', 12)],
    roles: PLAIN,
    shows: 'lost',
  },
  {
    name: 'what became of a commit without an answer is guessed',
    patches: [
      {
        file: 'log/kafka/append/lane.js',
        from: 'return (await this.opening) >= number;',
        to: 'return (await this.opening) > number;',
      },
    ],
    faults: named(['kafka:committed fails']),
    roles: PLAIN,
    shows: 'doubled',
  },
]

/** What is not committed is not read. */
export const READ_MUTATIONS: readonly Mutation<ClusterSystem>[] = [
  {
    name: 'records of aborted transactions are read',
    patches: [
      {
        file: 'log/kafka/protocol/record-batch.js',
        from: 'const isAborted = ',
        to: 'const isAborted = false && ',
      },
    ],
    faults: named(['kafka:sent fails']),
    roles: PLAIN,
    shows: 'doubled',
  },
]
