import { Kafka, logLevel } from 'kafkajs'
import { waitUntil } from '../../../../test/support/wait-until.js'
import { LogOutcomeUnknownError, type LogRecord, LogUnavailableError } from '../../../port.js'
import type { KafkaAppender } from '../../append/kafka-appender.js'
import { fetchRequest } from '../../consume/fetch-request.js'
import { BrokerConnections } from '../../protocol/connections.js'
import { fetchMetadata } from '../../protocol/metadata.js'
import { listOffset } from '../../protocol/offsets.js'
import { readCommitted } from '../../protocol/record-batch.js'

export type Outcome = 'accepted' | 'refused' | 'unknown'

export interface Sent {
  readonly id: number
  /** How many records it had. */
  readonly records: number
  outcome: Outcome
  milliseconds: number
}

export const NOTHING_WRONG = { lost: 0, doubled: 0, torn: 0, lies: 0, disordered: 0 }

/** Records in the log, compared with the outcomes that callers got. */
export interface Count {
  accepted: number
  refused: number
  unknown: number
  /** Records of accepted requests that are not there. */
  lost: number
  /** Records that are there more than once. */
  doubled: number
  /** Requests of which a part is there. */
  torn: number
  /** Refused requests of which anything is there. */
  lies: number
  /** Records that are before one of an earlier call. */
  disordered: number
  /** Requests of unknown outcome that are there. */
  unknownThere: number
  /** The longest time until a refusal and until an unknown outcome, milliseconds. */
  slowestRefusal: number
  slowestUnknown: number
}

/** Appends requests that can be told apart, and remembers what became of each. */
export class KafkaLedger {
  readonly sent: Sent[] = []
  unexpected: unknown

  async append(appender: KafkaAppender, partitions: readonly number[], bytes: number): Promise<Sent> {
    const sent: Sent = {
      id: this.sent.length,
      records: partitions.length,
      outcome: 'unknown',
      milliseconds: 0,
    }
    this.sent.push(sent)
    const started = performance.now()
    const records: LogRecord[] = partitions.map((partition, i) => ({
      partition,
      payload: payload(sent.id, i, bytes),
    }))
    try {
      await appender.append(records)
      sent.outcome = 'accepted'
    } catch (error) {
      if (error instanceof LogUnavailableError) sent.outcome = 'refused'
      else if (!(error instanceof LogOutcomeUnknownError)) this.unexpected = error
    }
    sent.milliseconds = performance.now() - started
    return sent
  }

  /** @param found the payloads of each partition in the order of their offsets */
  count(found: readonly (readonly Buffer[])[]): Count {
    const copies = this.sent.map(({ records }) => new Array<number>(records).fill(0))
    const count: Count = {
      accepted: 0,
      refused: 0,
      unknown: 0,
      lost: 0,
      doubled: 0,
      torn: 0,
      lies: 0,
      disordered: 0,
      unknownThere: 0,
      slowestRefusal: 0,
      slowestUnknown: 0,
    }
    for (const payloads of found) {
      let last = -1
      for (const bytes of payloads) {
        const id = bytes.readUInt32BE(0)
        const of = copies[id]
        const index = bytes.readUInt32BE(4)
        if (of !== undefined) of[index] = (of[index] ?? 0) + 1
        if (id < last) count.disordered++
        last = Math.max(last, id)
      }
    }
    for (const { id, outcome, milliseconds } of this.sent) {
      const of = copies[id] ?? []
      const there = of.filter((n) => n > 0).length
      count[outcome]++
      count.doubled += of.reduce((sum, n) => sum + Math.max(0, n - 1), 0)
      if (there > 0 && there < of.length) count.torn++
      if (outcome === 'accepted') count.lost += of.length - there
      if (outcome === 'refused' && there > 0) count.lies++
      if (outcome === 'unknown' && there > 0) count.unknownThere++
      if (outcome === 'refused')
        count.slowestRefusal = Math.max(count.slowestRefusal, Math.round(milliseconds))
      if (outcome === 'unknown')
        count.slowestUnknown = Math.max(count.slowestUnknown, Math.round(milliseconds))
    }
    return count
  }
}

function payload(id: number, index: number, bytes: number): Buffer {
  const made = Buffer.alloc(Math.max(8, bytes), `${id * 7 + index}, `)
  made.writeUInt32BE(id, 0)
  made.writeUInt32BE(index, 4)
  return made
}

export interface Topic {
  readonly topic: string
  readonly partitions: number
}

export async function makeTopics(brokers: string, topics: readonly Topic[]): Promise<void> {
  const admin = new Kafka({
    clientId: 'test',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    requestTimeout: 6_000,
    retry: { initialRetryTime: 50, retries: 20, maxRetryTime: 1_000 },
  }).admin()
  await admin.connect()
  await admin.createTopics({
    // The asked broker may not know them yet, which kafkajs treats as a failure.
    waitForLeaders: false,
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      numPartitions: partitions,
      configEntries: [{ name: 'max.message.bytes', value: String(16 * 2 ** 20) }],
    })),
  })
  await admin.disconnect()
  const links = new BrokerConnections({ brokers: brokers.split(','), clientId: 'test' })
  const names = topics.map(({ topic }) => topic)
  const areLed = async (): Promise<boolean> => {
    const metadata = await fetchMetadata(links, names)
    return topics.every(({ topic, partitions }) => {
      const found = metadata.topics.find(({ name }) => name === topic)?.partitions ?? []
      return found.filter(({ leader }) => metadata.brokers.has(leader)).length === partitions
    })
  }
  await waitUntil(areLed)
  links.close()
}

/** Everything committed in a topic now, by partition, in order. Waits for transactions that are open. */
export async function readTopic(brokers: string, { topic, partitions }: Topic): Promise<Buffer[][]> {
  const links = new BrokerConnections({ brokers: brokers.split(','), clientId: 'test' })
  try {
    const metadata = await fetchMetadata(links, [topic])
    const leaders = metadata.topics[0]?.partitions ?? []
    const found: Buffer[][] = []
    for (let index = 0; index < partitions; index++) {
      const leader = leaders.find((partition) => partition.index === index)?.leader ?? -1
      found.push(await readPartition(links, metadata.brokers.get(leader) ?? '', topic, index))
    }
    return found
  } finally {
    links.close()
  }
}

async function readPartition(
  links: BrokerConnections,
  leader: string,
  topic: string,
  index: number,
): Promise<Buffer[]> {
  const end = await listOffset(links, leader, topic, index, 'latest')
  const found: Buffer[] = []
  let offset = 0
  while (offset < end) {
    const bytes = 8 * 2 ** 20
    const request = {
      topic,
      maxWaitMs: 500,
      maxBytes: bytes,
      maxPartitionBytes: bytes,
      partitions: [{ index, offset }],
    }
    const [partition] = await links.send(leader, fetchRequest(request))
    if (partition === undefined || partition.error !== 0)
      throw new Error(`partition ${index} of ${topic} cannot be read: ${partition?.error}`)
    const { records, next } = await readCommitted(partition.bytes, partition.aborted, offset)
    for (const { payload } of records) found.push(Buffer.from(payload))
    offset = next
  }
  return found
}
