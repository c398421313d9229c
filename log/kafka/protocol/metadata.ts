import { Reader, Writer } from './codec.js'
import type { BrokerConnections } from './connections.js'

export type TopicMetadata = ReturnType<typeof decodeResponse>['topics'][number]

const METADATA = 3
/** The first practical version with topic ids; kafkajs ends at 6. Needs Kafka 3.1. */
const VERSION = 12

/** The leaders and ids of these topics. Missing topics come with an error and are not created. */
export async function fetchMetadata(links: BrokerConnections, topics: readonly string[]) {
  const metadata = await links.sendToAny({
    apiKey: METADATA,
    apiVersion: VERSION,
    apiName: 'Metadata',
    flexible: true,
    body: encodeRequest(topics),
    read: decodeResponse,
  })
  links.learn([...metadata.brokers.values()])
  return metadata
}

function encodeRequest(topics: readonly string[]): Buffer {
  const writer = new Writer().unsignedVarint(topics.length + 1)
  for (const topic of topics) writer.zeros(16).compactString(topic).unsignedVarint(0)
  const createTopics = 0
  const authorizedOperations = 0
  return writer.int8(createTopics).int8(authorizedOperations).unsignedVarint(0).bytes()
}

function decodeResponse(payload: Buffer) {
  const reader = new Reader(payload)
  reader.int32() // throttled for
  const brokers = reader.compactArray(() => {
    const id = reader.int32()
    const host = reader.compactString()
    const port = reader.int32()
    reader.compactString() // rack
    reader.skipTags()
    return [id, `${host}:${port}`] as const
  })
  reader.compactString() // cluster id
  reader.int32() // controller
  const topics = reader.compactArray(() => {
    /** 0 for none, 3 for an unknown topic. */
    const error = reader.int16()
    const name = reader.compactString()
    /** Unique for every topic ever created, also under the same name. */
    const id = reader.uuid()
    reader.int8() // internal
    const partitions = reader.compactArray(() => {
      reader.int16() // error, which leader -1 says too
      const index = reader.int32()
      /** A broker's id, or -1. */
      const leader = reader.int32()
      reader.int32() // leader epoch
      const replicas = reader.compactArray(() => reader.int32())
      reader.compactArray(() => reader.int32()) // in step
      reader.compactArray(() => reader.int32()) // offline
      reader.skipTags()
      return { index, leader, replicas }
    })
    reader.int32() // authorized operations
    reader.skipTags()
    return { name, id, error, partitions }
  })
  // Addresses by broker id, of those that are up.
  return { brokers: new Map(brokers), topics }
}
