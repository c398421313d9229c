import { Registry } from 'prom-client'
import t from 'tap'
import { v7 } from 'uuid'
import type { PartitionHandler } from '../../../log/port.js'
import { encodeLinks, readPairs } from '../../../log/record.js'
import { readRefusedLinks } from '../../../postgres/tables/refused-links.js'
import { createMetrics } from '../../operations/metrics.js'
import { registerLog } from '../../operations/register-log.js'
import { FencedError } from '../../partitions/checkpoint.js'
import { event, request, WORKSPACE } from '../../test/support/events.js'
import { never, openLog, quiet, readAll } from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { IdentityConsumer, type IdentityDependencies } from '../identity-consumer.js'

const stores = new TestStores()
t.teardown(() => stores.close())

const OTHER_WORKSPACE = `${WORKSPACE.slice(0, -1)}2`

async function setUp() {
  const { sql } = await stores.postgres()
  const log = await openLog(stores)
  await registerLog(sql, log)
  let linked = 0
  const metrics = createMetrics(new Registry())
  const make = (overrides: Partial<IdentityDependencies> = {}): PartitionHandler =>
    new IdentityConsumer({
      sql,
      log,
      logger: quiet,
      metrics,
      faultPoint: () => {},
      newId: v7,
      postgresMs: 10_000,
      onLinksWritten: () => {
        linked++
      },
      ...overrides,
    })
  const pair = (anonymousId: string, userId: string, workspaceId = WORKSPACE) =>
    log.append(request([event({ anonymousId, userId })], { workspaceId }))
  const links = async () =>
    (
      await sql`select workspace_id, anonymous_id, user_id from identity_links order by workspace_id, anonymous_id`
    ).map((row) => [row.workspace_id === WORKSPACE ? 1 : 2, row.anonymous_id, row.user_id])
  const contradicted = async () => (await metrics.contradictedLinks.get()).values[0]?.value
  return { sql, log, make, pair, links, linked: () => linked, contradicted }
}

t.test('the first pair wins in the order of the log, over batches and owners', async (t) => {
  const { sql, log, make, pair, links, linked, contradicted } = await setUp()
  await pair('a', 'first')
  await pair('a', 'second')
  await pair('b', 'bob')
  await pair('a', 'elsewhere', OTHER_WORKSPACE)
  await pair('ä "quoted", {b\\race}', 'NULL, "x"')
  await pair('c', 'c1')
  await pair('b', 'not bob')
  await pair('c', 'c1')
  const records = await readAll(log, 1)
  t.equal(records.length, 8)
  const one = make()
  t.equal(await one.assigned(1), 0)
  await one.handle(1, records.slice(0, 5), never)
  t.equal(linked(), 1)
  t.equal(await contradicted(), 1, 'in the same batch')
  const two = make()
  t.equal(await two.assigned(1), 5)
  await t.rejects(one.handle(1, records.slice(5), never), FencedError, 'the first owner is fenced')
  await two.handle(1, records.slice(5), never)
  t.equal(await contradicted(), 2, 'and in a later one, where the same user again is no contradiction')
  t.same(await readRefusedLinks(sql, WORKSPACE), { placeholder: 0, contradicted: 2 })
  t.same(await readRefusedLinks(sql, OTHER_WORKSPACE), { placeholder: 0, contradicted: 0 })
  t.same(await links(), [
    [1, 'a', 'first'],
    [1, 'b', 'bob'],
    [1, 'c', 'c1'],
    [1, 'ä "quoted", {b\\race}', 'NULL, "x"'],
    [2, 'a', 'elsewhere'],
  ])
  const outbox = await sql`
    select o.anonymous_key, o.user_key from link_outbox o join identity_links l using (workspace_id, anonymous_key, user_key) order by o.id`
  t.equal(outbox.length, 5, 'each link is on its way to ClickHouse, with its keys')
  const [first] = records
  const keys = first === undefined ? undefined : readPairs(first.payload).pairs[0]
  t.match(
    await sql`select anonymous_key, user_key from identity_links where workspace_id = ${WORKSPACE} and anonymous_id = 'a'`,
    [{ anonymous_key: String(keys?.anonymousKey), user_key: String(keys?.userKey) }],
  )
  t.same(await readAll(log, 1, 500), [], 'the log has been trimmed')
})

t.test('a crash after the commit repeats nothing, and a crash before it changes nothing', async (t) => {
  const { sql, log, make, pair, links } = await setUp()
  await pair('a', 'first')
  const records = await readAll(log, 1)
  const crashing = make({
    faultPoint: () => {
      throw new Error('crash')
    },
  })
  await crashing.assigned(1)
  await t.rejects(crashing.handle(1, records, never), /crash/)
  t.equal(await make().assigned(1), 1)
  t.same(await links(), [[1, 'a', 'first']])

  await pair('b', 'bob')
  const more = await readAll(log, 1)
  await sql`alter table link_outbox add constraint broken check (user_key is null) not valid`
  const broken = make()
  const position = await broken.assigned(1)
  await t.rejects(broken.handle(1, more.slice(position), never), /broken/)
  t.equal(await make().assigned(1), 1)
  t.same(await links(), [[1, 'a', 'first']])
})

t.test('pairs with a placeholder id, which earlier gateways accepted, make no link', async (t) => {
  const { log, make, links } = await setUp()
  const head = { workspaceId: WORKSPACE, keyId: v7(), receivedAt: Date.now(), sentAt: undefined }
  const pairs = ['null', '[object Object]', 'user'].map((userId, index) => ({
    anonymousId: 'visitor',
    userId,
    anonymousKey: 1n,
    userKey: BigInt(index),
    partitionHash: 0,
  }))
  await log.append(encodeLinks({ head, pairs }, log, () => false).records)
  const consumer = make()
  await consumer.assigned(1)
  await consumer.handle(1, await readAll(log, 1), never)
  t.same(await links(), [[1, 'visitor', 'user']])
})

t.test('a record that is not a pair becomes a dead letter', async (t) => {
  const { sql, log, make, pair, links } = await setUp()
  await pair('a', 'first')
  await log.append([{ partition: 1, payload: new Uint8Array(10) }])
  await pair('nul\0', 'x')
  await pair('x'.repeat(256), 'x')
  await pair('b', 'bob')
  const handler = make()
  await handler.assigned(1)
  await handler.handle(1, await readAll(log, 1), never)
  t.same(await links(), [
    [1, 'a', 'first'],
    [1, 'b', 'bob'],
  ])
  t.match(
    await sql`select log_partition, log_offset::int, row_index, events from dead_letters order by log_offset`,
    [{ log_partition: 1, log_offset: 1, row_index: -1, events: 0 }, { log_offset: 2 }, { log_offset: 3 }],
  )
})

t.test('offsets without pairs are skipped, but only by the owner', async (t) => {
  const { sql, log, make, pair, links } = await setUp()
  await pair('a', 'first')
  const records = await readAll(log, 1)
  const one = make()
  await one.assigned(1)
  await one.handle(1, records, never, 3)
  const done = async () =>
    (await sql`select done_offset::int as done from log_partitions where log_id = ${log.id}`)[0]?.done
  t.equal(await done(), 3)
  await one.skipTo?.(1, 7)
  t.equal(await done(), 7)
  await sql`update log_partitions set epoch = epoch + 1 where log_id = ${log.id}`
  await t.rejects(async () => void (await one.skipTo?.(1, 9)), FencedError)
  t.equal(await done(), 7)
  await t.rejects(one.handle(1, records, never), FencedError, 'it has to ask for the partition again')
  t.equal((await links()).length, 1)
})
