import { randomBytes } from 'node:crypto'
import kafkajs, { type Admin, Kafka, logLevel } from 'kafkajs'
import t, { type Test } from 'tap'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import type { EventLog } from '../../port.js'
import { readEvents, record, text } from '../../test/support/contract.js'
import { openKafkaLog } from '../log.js'
import { openPatiently } from './support/log.js'

const LAYOUT = { instance: 'test', partitions: 3, identityPartitions: 2 }

const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else await suite(await startKafka({ brokers: 1, properties: { 'auto.create.topics.enable': 'true' } }))

async function suite(kafka: KafkaCluster): Promise<void> {
  t.teardown(() => kafka.close())
  const brokers = kafka.brokers.split(',')
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  t.teardown(() => admin.disconnect())

  const open = async (t: Test, topicPrefix: string, more: object = {}): Promise<EventLog> => {
    const log = await openPatiently({ brokers, topicPrefix, ...LAYOUT, ...more })
    t.teardown(() => log.close())
    return log
  }

  await t.test(
    'processes that start concurrently create one log, with settings that keep every record',
    async (t) => {
      const prefix = newPrefix()
      const logs = await Promise.all(
        Array.from({ length: 5 }, (_, i) => open(t, prefix, { instance: `test-${i}` })),
      )
      t.equal(new Set(logs.map(({ id }) => id)).size, 1)
      for (const topic of [`${prefix}-events`, `${prefix}-identity`])
        t.match(await settingsOf(admin, topic), {
          'cleanup.policy': 'delete',
          'retention.ms': '-1',
          'retention.bytes': '-1',
          'min.insync.replicas': '1',
          'unclean.leader.election.enable': 'false',
          'compression.type': 'producer',
          'message.timestamp.type': 'LogAppendTime',
        })
      const { topics } = await admin.fetchTopicMetadata({
        topics: [`${prefix}-events`, `${prefix}-identity`],
      })
      t.same(topics.map(({ partitions }) => partitions.length).sort(), [2, 3])
    },
  )

  await t.test('the partition counts of a log never change', async (t) => {
    const prefix = newPrefix()
    await open(t, prefix)
    await t.rejects(open(t, prefix, { partitions: 4 }), {
      name: 'LogError',
      code: 'layout',
      message: new RegExp(`^topic ${prefix}-events has 3 partitions, not 4: set SVC_KAFKA_PARTITIONS to`),
    })
    await t.rejects(open(t, prefix, { identityPartitions: 1 }), {
      code: 'layout',
      message: /-identity has 2 partitions, not 1: set SVC_KAFKA_IDENTITY_PARTITIONS to/,
    })
    const topicPartitions = [{ topic: `${prefix}-events`, count: 4 }]
    await admin.createPartitions({ topicPartitions })
    await waitUntil(async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [`${prefix}-events`] })
      return topics[0]?.partitions.length === 4
    })
    await t.rejects(open(t, prefix), { code: 'layout', message: /has 4 partitions, not 3/ })
    await t.rejects(open(t, prefix, { partitions: 0 }), RangeError)
  })

  await t.test('a topic that a broker created automatically is refused', async (t) => {
    const prefix = newPrefix()
    const careless = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer()
    await careless.connect()
    await careless.send({ topic: `${prefix}-events`, messages: [{ value: 'x' }] })
    await careless.disconnect()
    await t.rejects(open(t, prefix), {
      name: 'LogError',
      code: 'layout',
      message: /-events has 1 partitions, not 3/,
    })
    await t.rejects(open(t, prefix, { partitions: 1 }), {
      name: 'LogError',
      code: 'settings',
      message: new RegExp(
        `topic ${prefix}-events has retention.ms = 604800000, wanted is -1: records would be removed by age, read or not`,
      ),
    })
  })

  await t.test('each setting that would lose records stops the start', async (t) => {
    const careless: Readonly<Record<string, string>> = {
      'cleanup.policy': 'compact',
      'retention.ms': '86400000',
      'retention.bytes': '1000000000',
      'min.insync.replicas': '2',
      'unclean.leader.election.enable': 'true',
      'max.message.bytes': '1048588',
      'compression.type': 'zstd',
    }
    for (const [name, value] of Object.entries(careless)) {
      const prefix = newPrefix()
      const log = await openKafkaLog({ brokers, topicPrefix: prefix, ...LAYOUT })
      await log.close()
      for (const part of ['events', 'identity']) {
        await setSettings(admin, `${prefix}-${part}`, { [name]: value })
        const message = new RegExp(`topic ${prefix}-${part} has ${name} = ${value}, wanted is `)
        await t.rejects(
          open(t, prefix),
          { name: 'LogError', code: 'settings', retryable: false, message },
          name,
        )
        await setSettings(admin, `${prefix}-${part}`, {})
      }
    }
  })

  await t.test('a topic that is deleted and made again is another log', async (t) => {
    const prefix = newPrefix()
    const log = await open(t, prefix)
    await log.append([record(0, 'one')])
    const before = log.id
    t.match(before, /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
    t.notMatch(before, /^0{8}/)
    await admin.deleteTopics({ topics: [`${prefix}-events`] })
    const after = await open(t, prefix, { instance: 'other' })
    t.not(after.id, before)
    t.same((await readEvents(after)).get(0)?.map(text) ?? [], [])
    await t.rejects(log.ping(), 'the log that was opened is gone')
  })
}

function newPrefix(): string {
  return `t${randomBytes(6).toString('hex')}`
}

async function settingsOf(admin: Admin, topic: string): Promise<Record<string, string>> {
  const type = kafkajs.ConfigResourceTypes.TOPIC
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type, name: topic }],
  })
  return Object.fromEntries(
    (resources[0]?.configEntries ?? []).map((entry) => [entry.configName, entry.configValue]),
  )
}

/** Sets the dynamic settings of a topic as opening it does, except for `changed`. */
async function setSettings(admin: Admin, topic: string, changed: Record<string, string>): Promise<void> {
  const sound = {
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'min.insync.replicas': '1',
    'max.message.bytes': '16777216',
    ...changed,
  }
  const configEntries = Object.entries(sound).map(([name, value]) => ({ name, value }))
  const type = kafkajs.ConfigResourceTypes.TOPIC
  await admin.alterConfigs({ validateOnly: false, resources: [{ type, name: topic, configEntries }] })
  // The broker says yes before it goes by them.
  await waitUntil(async () => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type, name: topic }],
    })
    const known = new Map(resources[0]?.configEntries.map((entry) => [entry.configName, entry.configValue]))
    return configEntries.every(({ name, value }) => known.get(name) === value)
  })
}
