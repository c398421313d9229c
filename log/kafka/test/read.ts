import kafkajs, { CompressionTypes, Kafka, logLevel, type Producer } from 'kafkajs'
import t from 'tap'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import type { EventLog, StoredRecord } from '../../port.js'
import { OPTIONS, readEvents, record, text } from '../../test/support/contract.js'
import { decompressLz4 } from '../protocol/lz4.js'
import { newKafkaLog } from './support/log.js'
import { lz4Frame } from './support/lz4-frame.js'

const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else await suite(await startKafka({ brokers: 1 }))

async function suite(kafka: KafkaCluster): Promise<void> {
  t.teardown(() => kafka.close())
  // For kafkajs's producers, which are others' here.
  kafkajs.CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: async ({ buffer }: { readonly buffer: Buffer }) => lz4Frame(buffer),
    decompress: decompressLz4,
  })
  const client = new Kafka({
    brokers: [kafka.brokers],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 20, retries: 8 },
  })

  /** A producer of another gateway, so to say. */
  const connect = async (transactionalId?: string): Promise<Producer> => {
    const producer = client.producer(
      transactionalId === undefined ? {} : { transactionalId, maxInFlightRequests: 1 },
    )
    await producer.connect()
    t.teardown(() => producer.disconnect())
    return producer
  }

  await t.test('records of aborted transactions are left out, also of overlapping ones', async (t) => {
    const { log, options, destroy } = await newKafkaLog(kafka)
    t.teardown(destroy)
    const producers = await Promise.all(['a', 'b', 'c'].map((id) => connect(`${options.topicPrefix}-${id}`)))
    const [a, b, c] = await Promise.all(producers.map((producer) => producer.transaction()))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three producers')
    const send = (transaction: typeof a, value: string) =>
      transaction.send({ topic: `${options.topicPrefix}-events`, messages: [{ value, partition: 0 }] })
    // The transaction that began first ends last, so the broker lists it last.
    await send(a, 'a1')
    await send(b, 'b1')
    await send(c, 'c1')
    await send(b, 'b2')
    await b.abort()
    await send(a, 'a2')
    await send(c, 'c2')
    await c.commit()
    await send(a, 'a3')
    await a.abort()
    const again = await producers[0]?.transaction()
    if (again === undefined) throw new Error('a transaction')
    await send(again, 'a4')
    await again.commit()
    const all = (await readEvents(log)).get(0) ?? []
    t.same(all.map(text), ['c1', 'c2', 'a4'])
    // From the middle of both, too.
    for (const from of [1, 2, 3, 5, 6]) {
      const some = await readFrom(log, from)
      t.same(some.map(text), all.filter(({ offset }) => offset >= from).map(text), `from offset ${from}`)
    }
  })

  await t.test('offsets of aborted transactions are skipped, and only once they are aborted', async (t) => {
    const { log, options, destroy } = await newKafkaLog(kafka)
    t.teardown(destroy)
    const producer = await connect(`${options.topicPrefix}-a`)
    const passed: number[] = []
    let slow: Promise<void> | undefined
    const abort = new AbortController()
    const consuming = log.consume(
      OPTIONS,
      {
        assigned: async () => 0,
        handle: async () => void t.fail('no record was committed'),
        skipTo: async (partition, offset) => {
          if (partition !== 0) return
          passed.push(offset)
          await slow
        },
      },
      abort.signal,
    )
    const begin = async () => {
      const transaction = await producer.transaction()
      const messages = [{ value: 'given up', partition: 0 }]
      await transaction.send({ topic: `${options.topicPrefix}-events`, messages })
      return transaction
    }
    for (let i = 1; i <= 2; i++) {
      const transaction = await begin()
      const open = await log.end(0)
      await pause(400)
      t.equal(passed.length, i - 1, 'undecided')
      await transaction.abort()
      await waitUntil(() => passed.length >= i)
      t.equal(passed.at(-1), open + 1, 'past the record and its marker')
      t.equal(await log.end(0), open + 1)
    }
    let release = (): void => {}
    slow = new Promise((resolve) => {
      release = resolve
    })
    await (await begin()).abort()
    await waitUntil(() => passed.length === 3)
    await (await begin()).abort()
    await pause(1_000)
    release()
    const end = await log.end(0)
    await waitUntil(() => passed.at(-1) === end)
    t.pass('offsets that came while others were passed are passed, too')
    abort.abort()
    await consuming
  })

  await t.test('compressed records are read back', async (t) => {
    const { log, options, destroy } = await newKafkaLog(kafka)
    t.teardown(destroy)
    const producer = await connect()
    const values = [10, 5_000, 300_000, 0].map((size, i) => String.fromCharCode(97 + i).repeat(size))
    const random = Buffer.alloc(200_000, 0).map((_, i) => (i * 2_654_435_761) >>> 13)
    for (const compression of [CompressionTypes.LZ4, CompressionTypes.GZIP, CompressionTypes.None])
      await producer.send({
        topic: `${options.topicPrefix}-events`,
        compression,
        messages: [...values, Buffer.from(random)].map((value) => ({ value, partition: 1 })),
      })
    const found = ((await readEvents(log)).get(1) ?? []).map(({ payload }) => Buffer.from(payload))
    const expected = [...values.map((value) => Buffer.from(value)), Buffer.from(random)]
    t.equal(found.length, 15)
    for (const [i, payload] of found.entries()) t.ok(expected[i % 5]?.equals(payload), `record ${i}`)
  })

  await t.test('lz4 is compatible with Kafka’s own library in both directions', async (t) => {
    const admin = client.admin()
    await admin.connect()
    t.teardown(() => admin.disconnect())
    const producer = await connect()
    const lines = Array.from({ length: 500 }, (_, i) => `line ${i} ${'x'.repeat(10 * i)}`)
    // The broker compresses batches again if they do not have the topic's compression.
    for (const [sent, wanted] of [
      [CompressionTypes.None, 'lz4'],
      [CompressionTypes.LZ4, 'gzip'],
    ] as const) {
      const { log, options, destroy } = await newKafkaLog(kafka)
      t.teardown(destroy)
      const topic = `${options.topicPrefix}-events`
      const configEntries = [{ name: 'compression.type', value: wanted }]
      const type = kafkajs.ConfigResourceTypes.TOPIC
      await admin.alterConfigs({ validateOnly: false, resources: [{ type, name: topic, configEntries }] })
      const messages = lines.map((value) => ({ value, partition: 0 }))
      await producer.send({ topic, compression: sent, messages })
      t.same(((await readEvents(log)).get(0) ?? []).map(text), lines, `stored as ${wanted}`)
    }
  })

  await t.test('a position below removed records continues after them, with a warning', async (t) => {
    const warnings: string[] = []
    const logger = {
      info: () => {},
      warn: (_: object, message: string) => void warnings.push(message),
      error: () => {},
    }
    const { log, destroy } = await newKafkaLog(kafka, { logger })
    t.teardown(destroy)
    for (let i = 0; i < 4; i++) await log.append([record(0, `${i}`)])
    const position = (await readEvents(log)).get(0)?.[2]?.offset ?? 0
    await log.trim(0, position)
    // They are removed a little later.
    const found = async () => (await readFrom(log, 0)).map(text)
    const end = performance.now() + 30_000
    while ((await found()).length > 2 && performance.now() < end) await pause(50)
    t.same(await found(), ['2', '3'])
    t.ok(warnings.includes('Records before this position are gone; continuing behind them'))
  })

  await t.test('a position beyond the end is an error, and nothing is skipped', async (t) => {
    const { log, destroy } = await newKafkaLog(kafka)
    t.teardown(destroy)
    await log.append([record(0, 'x')])
    const beyond = (await log.end(0)) + 100
    const abort = new AbortController()
    let asked = 0
    const seen: string[] = []
    await log.consume(
      OPTIONS,
      {
        // The third answer is sound.
        assigned: async (partition) => (partition === 0 && ++asked < 3 ? beyond : 0),
        handle: async (_, records) => {
          seen.push(...records.map(text))
          abort.abort()
        },
      },
      abort.signal,
    )
    t.equal(asked, 3)
    t.same(seen, ['x'])
  })
}

/** The records of partition 0 from an offset to the end. */
async function readFrom(log: EventLog, from: number): Promise<StoredRecord[]> {
  const end = await log.end(0)
  const records: StoredRecord[] = []
  const abort = new AbortController()
  const reached = (offset: number): void => {
    if (offset >= end) abort.abort()
  }
  await log.consume(
    OPTIONS,
    {
      assigned: async (partition) => (partition === 0 ? from : log.end(partition)),
      handle: async (partition, batch, _, next) => {
        if (partition !== 0) return
        records.push(...batch.filter(({ payload }) => !Buffer.from(payload).toString().startsWith('mark ')))
        reached(next ?? 0)
      },
      skipTo: async (partition, offset) => {
        if (partition === 0) reached(offset)
      },
    },
    abort.signal,
  )
  return records
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
