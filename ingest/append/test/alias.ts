import t, { type Test } from 'tap'
import { readPairs } from '../../../log/record.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import {
  makeGateway,
  makeWorkspace,
  startStores,
  type TestGateway,
  type TestWorkspace,
} from '../../test/support/gateway.js'

const stores = await startStores()
t.teardown(() => stores.stop())

async function setUp(t: Test) {
  const workspace = await makeWorkspace(stores)
  const gateway = await makeGateway(stores)
  t.teardown(() => gateway.stop())
  await stores.sql`insert into logs (id, partitions, identity_partitions)
    values (${gateway.log.id}, ${gateway.log.partitions}, ${gateway.log.identityPartitions})`
  return { workspace, gateway }
}

async function post(gateway: TestGateway, workspace: TestWorkspace, path: string, body: unknown) {
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.serverKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return {
    status: answer.status,
    headers: answer.headers,
    json: (await answer.json()) as Record<string, unknown>,
  }
}

const alias = (gateway: TestGateway, workspace: TestWorkspace, anonymousId: string, userId: string) =>
  post(gateway, workspace, '/v1/alias', { anonymousId, userId })

const links = async (workspace: TestWorkspace) =>
  await stores.sql<{ anonymous_id: string; user_id: string; anonymous_key: string; user_key: string }[]>`
    select anonymous_id, user_id, anonymous_key, user_key from identity_links
    where workspace_id = ${workspace.id} order by anonymous_id`

const outbox = async (workspace: TestWorkspace) =>
  await stores.sql<{ anonymous_key: string; user_key: string }[]>`
    select anonymous_key, user_key from link_outbox where workspace_id = ${workspace.id} order by id`

/** Does what the identity consumer does, as far as the alias endpoint can tell. */
async function consumeIdentity(gateway: TestGateway): Promise<void> {
  const { log } = gateway
  for (let partition = log.partitions; partition < log.partitions + log.identityPartitions; partition++) {
    const end = await log.end(partition)
    for (const record of gateway.appended.filter((record) => record.partition === partition)) {
      const { header, pairs } = readPairs(record.payload)
      for (const pair of pairs)
        await stores.sql`
          insert into identity_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
          values (${header.workspaceId}, ${pair.anonymousId}, ${pair.userId}, ${String(pair.anonymousKey)},
            ${String(pair.userKey)}, now())
          on conflict do nothing`
    }
    await stores.sql`
      insert into log_partitions (log_id, log_partition, done_offset) values (${log.id}, ${partition}, ${end})
      on conflict (log_id, log_partition) do update set done_offset = excluded.done_offset`
  }
}

t.test('an alias is linked, already linked or a conflict', async (t) => {
  const { workspace, gateway } = await setUp(t)
  let tell = (_: string): void => {}
  const told = new Promise((resolve) => {
    tell = resolve
  })
  await stores.sql.listen('svc_links', (text) => tell(text))
  const first = await alias(gateway, workspace, 'a', 'u')
  t.equal(first.status, 202)
  t.same(first.json, { outcome: 'linked' })
  t.ok(first.headers.get('x-request-id'))
  await told
  t.same((await alias(gateway, workspace, 'a', 'u')).json, { outcome: 'already-linked' })
  const conflict = await alias(gateway, workspace, 'a', 'other')
  t.equal(conflict.status, 409)
  t.match(conflict.json, {
    code: 'ALIAS_CONFLICT',
    field: 'anonymousId',
    details: [{ path: '/anonymousId' }],
  })
  const [link] = await links(workspace)
  t.match(link, { anonymous_id: 'a', user_id: 'u' })
  t.same(await outbox(workspace), [{ anonymous_key: link?.anonymous_key, user_key: link?.user_key }])
  t.same((await alias(gateway, workspace, 'b', 'u')).json, { outcome: 'linked' }, 'a user may have many')
  t.same((await alias(gateway, workspace, 'A', 'x')).json, { outcome: 'linked' }, 'case counts')
  t.same((await alias(gateway, workspace, 'a ', 'x')).json, { outcome: 'linked' }, 'spaces count')
})

t.test('workspaces do not share links', async (t) => {
  const { workspace, gateway } = await setUp(t)
  const other = await makeWorkspace(stores)
  t.same((await alias(gateway, workspace, 'a', 'u')).json, { outcome: 'linked' })
  t.same((await alias(gateway, other, 'a', 'v')).json, { outcome: 'linked' })
})

t.test('of many concurrent aliases one wins, and every answer says which', async (t) => {
  const { workspace, gateway } = await setUp(t)
  const second = await makeGateway(stores)
  t.teardown(() => second.stop())
  for (let round = 0; round < 5; round++) {
    const users = ['u', 'v', 'w', 'u', 'v', 'w', 'u', 'v']
    const answers = await Promise.all(
      users.map((user, i) => alias(i % 2 === 0 ? gateway : second, workspace, `a${round}`, user)),
    )
    const linked = answers.flatMap((answer, i) => (answer.json.outcome === 'linked' ? [users[i]] : []))
    t.equal(linked.length, 1)
    answers.forEach((answer, i) => {
      if (answer.json.outcome === 'linked') return
      if (users[i] === linked[0]) t.same(answer.json, { outcome: 'already-linked' })
      else t.equal(answer.status, 409)
    })
  }
  t.equal((await outbox(workspace)).length, 5)
})

t.test('an alias waits for the links of events accepted before it', async (t) => {
  const { workspace, gateway } = await setUp(t)
  const sent = await post(gateway, workspace, '/v1/events', {
    events: [{ event: 'sign_up', userId: 'first', anonymousId: 'a' }],
  })
  t.equal(sent.status, 202)
  const asked = alias(gateway, workspace, 'a', 'second')
  // Both identity partitions are still behind: this look-up of their progress does not let the alias through.
  const looked = () => gateway.proxy.sent(Buffer.from('select log_partition, done_offset')) > 0
  await waitUntil(looked)
  t.ok(looked())
  t.equal((await links(workspace)).length, 0, 'still waiting')
  await consumeIdentity(gateway)
  const answer = await asked
  t.equal(answer.status, 409)
  t.same((await alias(gateway, workspace, 'a', 'first')).json, { outcome: 'already-linked' })
})

t.test('an alias gives up after two seconds and records nothing', async (t) => {
  const { workspace, gateway } = await setUp(t)
  await post(gateway, workspace, '/v1/events', { events: [{ event: 'e', userId: 'u', anonymousId: 'a' }] })
  const start = performance.now()
  const answer = await alias(gateway, workspace, 'a', 'u')
  const took = performance.now() - start
  t.equal(answer.status, 503)
  t.match(answer.json, { code: 'UNAVAILABLE' })
  t.ok(Number(answer.headers.get('retry-after')) >= 1)
  t.ok(took > 1_900 && took < 30_000, `${took} ms`)
  t.equal((await links(workspace)).length, 0)
})

t.test('an alias is refused with 503 while Postgres is down', async (t) => {
  const { workspace, gateway } = await setUp(t)
  t.equal((await alias(gateway, workspace, 'a', 'u')).status, 202)
  gateway.proxy.set('refuse')
  const answer = await alias(gateway, workspace, 'b', 'u')
  t.equal(answer.status, 503)
  t.equal((await links(workspace)).length, 1)
  gateway.proxy.set('pass')
})

t.test('a pair linked by alias or by events already durable is not appended again', async (t) => {
  const { workspace, gateway } = await setUp(t)
  t.equal((await alias(gateway, workspace, 'a', 'u')).status, 202)
  const identity = () =>
    gateway.appended.filter((record) => record.partition >= gateway.log.partitions).length
  const send = (anonymousId: string) =>
    post(gateway, workspace, '/v1/events', { events: [{ event: 'e', userId: 'u', anonymousId }] })
  await send('a')
  t.equal(identity(), 0)
  await send('b')
  t.equal(identity(), 1)
  await send('b')
  t.equal(identity(), 1)
  gateway.faults.after = () => Promise.reject(new Error('connection lost'))
  await t.rejects(send('c'))
  t.equal(identity(), 2)
  gateway.faults.after = undefined
  await send('c')
  t.equal(identity(), 3, 'one whose outcome is unknown is')
})
