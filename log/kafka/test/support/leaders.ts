import { setTimeout as pause } from 'node:timers/promises'
import { Reader, Writer } from '../../protocol/codec.js'
import { type BrokerConnections, knownRequest, type OwnRequest } from '../../protocol/connections.js'
import { fetchMetadata } from '../../protocol/metadata.js'

/** The brokers' own topics: the leader of a partition there is the coordinator for its names. */
export const GROUPS = '__consumer_offsets'
export const TRANSACTIONS = '__transaction_state'

const ELECT_LEADERS = 43
const PREFERRED = 0
const TIMEOUT_MS = 5_000
const POLL_MS = 50
const LIMIT_MS = 20_000

/**
 * Moves the leaders of topics to other live brokers, as an operator's election does: each partition's next
 * replica becomes the preferred one and is elected. Returns how many partitions moved. A partition stays if
 * its next replica is not in sync.
 */
export async function moveLeaders(links: BrokerConnections, topics: readonly string[]): Promise<number> {
  const before = await fetchMetadata(links, topics)
  const assignments = before.topics.map(({ name, partitions }) => ({
    topic: name,
    partitionAssignment: partitions.map(({ index, replicas: [first = -1, ...others] }) => ({
      partition: index,
      replicas: [...others, first],
    })),
  }))
  await links.sendToAny(
    knownRequest('AlterPartitionReassignments', 0, { topics: assignments, timeout: TIMEOUT_MS }),
  )
  let elected: Elected[] = []
  // The controller may take a moment until it has the new order.
  for (let attempt = 0; attempt < 3 && elected.length === 0; attempt++) {
    if (attempt > 0) await pause(POLL_MS)
    elected = await links.sendToAny(electPreferred(before.topics))
  }
  const wanted = new Map(
    assignments.flatMap(({ topic, partitionAssignment }) =>
      partitionAssignment.map(({ partition, replicas }) => [`${topic}:${partition}`, replicas[0]] as const),
    ),
  )
  const end = performance.now() + LIMIT_MS
  for (;;) {
    const { topics: now } = await fetchMetadata(links, topics)
    const moved = elected.filter(({ topic, partition }) => {
      const found = now.find(({ name }) => name === topic)?.partitions
      return found?.find(({ index }) => index === partition)?.leader === wanted.get(`${topic}:${partition}`)
    })
    // With brokers that come and go, some may have moved on meanwhile.
    if (moved.length === elected.length || performance.now() > end) return moved.length
    await pause(POLL_MS)
  }
}

interface Elected {
  readonly topic: string
  readonly partition: number
}

/** Elects the first replica of every partition if it is in sync. */
function electPreferred(
  topics: readonly { readonly name: string; readonly partitions: readonly { readonly index: number }[] }[],
): OwnRequest<Elected[]> {
  const writer = new Writer().int8(PREFERRED).int32(topics.length)
  for (const { name, partitions } of topics) {
    writer.string(name).int32(partitions.length)
    for (const { index } of partitions) writer.int32(index)
  }
  return {
    apiKey: ELECT_LEADERS,
    apiVersion: 1,
    apiName: 'ElectLeaders',
    body: writer.int32(TIMEOUT_MS).bytes(),
    read: (payload) => {
      const reader = new Reader(payload)
      reader.int32() // throttled for
      const error = reader.int16()
      if (error !== 0) throw new Error(`no leaders were elected: ${error}`)
      const elected = reader.array(reader.int32(), () => {
        const topic = reader.string()
        return reader.array(reader.int32(), () => {
          const partition = reader.int32()
          const refused = reader.int16() !== 0
          reader.bytes(Math.max(0, reader.int16())) // what the error says
          return refused ? [] : [{ topic, partition }]
        })
      })
      return elected.flat(2)
    },
    timeoutMs: TIMEOUT_MS + 1_000,
  }
}
