import type { ClientRole } from '../clients/clients.js'
import { CLUSTER_FAULTS, gatewayFaultAt } from '../faults/cluster-faults.js'
import { type Fault, faultsNamed } from '../faults/faults.js'
import type { ClusterSystem } from '../systems/cluster-system.js'
import type { Mutation } from './mutations.js'

const named = (names: readonly string[]): Fault<ClusterSystem>[] => faultsNamed(names, CLUSTER_FAULTS)

/** Without insertIds, deduplication hides no event that is recorded twice. */
const PLAIN: readonly ClientRole[] = Array.from({ length: 8 }, () => ({ kind: 'plain', most: 200 }))

/** They break the rule that acknowledged requests are committed. */
export const COMMIT_MUTATIONS: readonly Mutation<ClusterSystem>[] = [
  {
    name: 'a request is answered before its transaction is committed',
    patches: [
      {
        file: 'log/kafka/append/kafka-appender.js',
        within: 'KafkaAppender.commit',
        thing: { call: 'markUndecided' },
        becomes: ({ text, object: queue, args: [group] }) =>
          `(${text}, ${queue}.accept(${group}), await new Promise((go) => setTimeout(go, 50)), this.options.faultPoint?.('kafka:answered'))`,
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
        file: 'log/kafka/append/transactional-producer.js',
        within: 'TransactionalProducer.resolveOutcome',
        thing: { returned: 'a comparison' },
        becomes: ({ left, right }) => `${left} > ${right}`,
      },
    ],
    faults: named(['kafka:committed fails']),
    roles: PLAIN,
    shows: 'doubled',
  },
]

/** They break the rule that consumers read only committed records. */
export const READ_MUTATIONS: readonly Mutation<ClusterSystem>[] = [
  {
    name: 'records of aborted transactions are read',
    patches: [
      {
        file: 'log/kafka/protocol/record-batch.js',
        within: 'readCommitted',
        thing: { call: 'has' },
        becomes: 'false',
      },
    ],
    faults: named(['kafka:sent fails']),
    roles: PLAIN,
    shows: 'doubled',
  },
]

/** They break the rule that each piece of a block is stored once on its shard. */
export const SHARD_MUTATIONS: readonly Mutation<ClusterSystem>[] = [
  {
    name: 'a piece of a block is inserted under a token that changes',
    patches: [
      {
        file: 'clickhouse/shards.js',
        within: 'cutByShard',
        thing: { property: 'token' },
        becomes: ({ text }) => `(${text} + Math.random())`,
      },
    ],
    faults: named(['consumer:inserted fails']),
    roles: PLAIN,
    shows: 'doubled',
  },
]
