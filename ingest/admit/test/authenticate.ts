import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { formatKey } from '../../../domain/key.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { hashCredential } from '../../../postgres/tables/credentials.js'
import { createKey, listKeys, newId, revokeKey, setQuota } from '../../../postgres/tables/workspaces.js'
import { makeWorkspace, startStores, type TestWorkspace } from '../../test/support/gateway.js'
import { startProxy } from '../../test/support/proxy.js'
import { type Authentication, Authenticator } from '../authenticate.js'

const stores = await startStores()
t.teardown(() => stores.stop())

async function makeAuthenticator(t: Test) {
  const address = new URL(stores.url)
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) })
  address.port = String(proxy.port)
  const sql = connectPostgres({ url: address.href, applicationName: 'authenticate', maxConnections: 4 })
  let skipped = 0
  const authenticator = new Authenticator({
    sql,
    secretKey: stores.secretKey,
    logger: pino({ level: 'silent' }),
    clock: () => performance.now() + skipped,
    now: Date.now,
    name: newId(),
  })
  authenticator.start()
  t.teardown(async () => {
    await authenticator.stop()
    await sql.end({ timeout: 1 })
    await proxy.close()
  })
  const check = async (key: string): Promise<'ok' | 'refused' | 'unavailable'> =>
    verdict(await authenticator.authenticate(`Bearer ${key}`))
  return {
    authenticator,
    proxy,
    check,
    /** Lets so many milliseconds pass at once. */
    skip: (milliseconds: number) => {
      skipped += milliseconds
    },
    isCached: (key: string) => !(authenticator.authenticate(`Bearer ${key}`) instanceof Promise),
    // The hash stands in the question twice.
    lookUps: (key: string) =>
      proxy.sent(Buffer.from(hashCredential(stores.secretKey, key).toString('hex'))) / 2,
  }
}

function verdict(answer: Authentication): 'ok' | 'refused' | 'unavailable' {
  if (answer.ok) return 'ok'
  return answer.refusal.code === 'UNAUTHENTICATED' ? 'refused' : 'unavailable'
}

async function anotherKey(workspace: TestWorkspace) {
  return await createKey(stores.sql, stores.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'server',
    name: 'another',
    scopes: [],
    now: new Date(),
  })
}

const revoke = (workspace: TestWorkspace) =>
  revokeKey(stores.sql, { workspaceId: workspace.id, id: workspace.keyId, now: new Date() })

/** Milliseconds until the key is refused. */
async function refusedAfter(check: (key: string) => Promise<string>, key: string): Promise<number> {
  const start = performance.now()
  while ((await check(key)) !== 'refused') {
    if (performance.now() - start > 5_000) throw new Error('never refused')
    await delay(5)
  }
  return performance.now() - start
}

t.test('a key is looked up once for all who ask, and then kept', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, isCached, lookUps } = await makeAuthenticator(t)
  await delay(300)
  const answers = await Promise.all(Array.from({ length: 100 }, () => check(workspace.serverKey)))
  t.ok(answers.every((answer) => answer === 'ok'))
  t.equal(lookUps(workspace.serverKey), 1)
  for (let i = 0; i < 30; i++) {
    t.ok(isCached(workspace.serverKey))
    await delay(50)
  }
  t.equal(lookUps(workspace.serverKey), 1, 'heartbeats keep it fresh')
})

t.test('what is no live server key is refused', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, isCached, lookUps } = await makeAuthenticator(t)
  const unknown = formatKey('server', randomBytes(64))
  t.equal(await check(unknown), 'refused')
  for (let i = 0; i < 20; i++) t.equal(await check(unknown), 'refused')
  t.equal(lookUps(unknown), 1, 'kept for a moment')
  t.ok(isCached(unknown))
  for (const key of [workspace.apiKey, workspace.publishableKey, 'x', `${workspace.serverKey}0`]) {
    t.ok(isCached(key), 'no look-up')
    t.equal(await check(key), 'refused')
  }
})

t.test('a revocation is obeyed at once', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check } = await makeAuthenticator(t)
  t.equal(await check(workspace.serverKey), 'ok')
  await delay(400)
  await revoke(workspace)
  const took = await refusedAfter(check, workspace.serverKey)
  t.ok(took < 150, `${took} ms`)
})

t.test('a new key is known at once, also one that was refused just before', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check } = await makeAuthenticator(t)
  const random = randomBytes(64)
  const text = formatKey('server', random)
  t.equal(await check(text), 'refused')
  await delay(50)
  await createKey(stores.sql, stores.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'server',
    name: 'new',
    scopes: [],
    now: new Date(),
    random,
  })
  await delay(100)
  t.equal(await check(text), 'ok')
})

t.test('limits of the workspace are fetched again when they change', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { authenticator } = await makeAuthenticator(t)
  const limit = async (): Promise<number | null | undefined> => {
    const answer = await authenticator.authenticate(`Bearer ${workspace.serverKey}`)
    return answer.ok ? answer.caller.credential.workspace.requestsPerSecond : undefined
  }
  t.equal(await limit(), null)
  await setQuota(stores.sql, { workspaceId: workspace.id, requestsPerSecond: 7 })
  await delay(100)
  t.equal(await limit(), 7)
})

t.test('a revocation is obeyed within a second where its notification is lost', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, proxy } = await makeAuthenticator(t)
  t.equal(await check(workspace.serverKey), 'ok')
  await delay(700)
  t.equal(await check(workspace.serverKey), 'ok')
  proxy.loseNotifications()
  await revoke(workspace)
  const took = await refusedAfter(check, workspace.serverKey)
  t.ok(took < 1_100, `${took} ms`)
})

t.test('a revocation while the channel was down is obeyed within a second', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, proxy } = await makeAuthenticator(t)
  t.equal(await check(workspace.serverKey), 'ok')
  await delay(700)
  proxy.cut()
  await revoke(workspace)
  const took = await refusedAfter(check, workspace.serverKey)
  t.ok(took < 1_100, `${took} ms`)
  // And the channel comes back.
  const other = await anotherKey(workspace)
  t.equal(await check(other.key), 'ok')
})

t.test('a key that changes while it is looked up is looked up again', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, proxy } = await makeAuthenticator(t)
  await delay(200)
  proxy.set('hang')
  const asked = check(workspace.serverKey)
  await revoke(workspace)
  proxy.set('pass')
  await asked
  t.ok((await refusedAfter(check, workspace.serverKey)) < 100)
})

t.test('Postgres gone: keys seen lately go on for less than a minute, others are told to wait', async (t) => {
  const workspace = await makeWorkspace(stores)
  const other = await anotherKey(workspace)
  const { check, proxy, skip, authenticator } = await makeAuthenticator(t)
  t.equal(authenticator.livesWithoutPostgres(), false)
  t.equal(await check(workspace.serverKey), 'ok')
  proxy.set('refuse')
  t.equal(await check(other.key), 'unavailable')
  skip(1_500)
  t.equal(await check(workspace.serverKey), 'ok')
  t.equal(authenticator.livesWithoutPostgres(), true)
  skip(50_000)
  t.equal(await check(workspace.serverKey), 'ok')
  skip(9_000)
  t.equal(await check(workspace.serverKey), 'unavailable')
  t.equal(authenticator.livesWithoutPostgres(), false)
  proxy.set('pass')
  const start = performance.now()
  while ((await check(workspace.serverKey)) !== 'ok') {
    if (performance.now() - start > 10_000) throw new Error('does not recover')
    await delay(50)
  }
  t.equal(await check(other.key), 'ok')
})

t.test('Postgres silent: nobody waits for long', async (t) => {
  const workspace = await makeWorkspace(stores)
  const other = await anotherKey(workspace)
  const { check, proxy, skip } = await makeAuthenticator(t)
  t.equal(await check(workspace.serverKey), 'ok')
  proxy.set('hang')
  skip(1_500)
  const timed = async (key: string) => {
    const start = performance.now()
    return { answer: await check(key), took: performance.now() - start }
  }
  const [first, unknown] = await Promise.all([timed(workspace.serverKey), timed(other.key)])
  t.equal(first.answer, 'ok')
  t.equal(unknown.answer, 'unavailable')
  t.ok(first.took < 2_000 && unknown.took < 2_000)
  const second = await timed(workspace.serverKey)
  t.ok(second.answer === 'ok' && second.took < 200, 'only the first waits')
  const flood = await Promise.all(
    Array.from({ length: 400 }, () => timed(formatKey('server', randomBytes(64)))),
  )
  t.ok(flood.every(({ answer }) => answer === 'unavailable'))
  t.ok(flood.filter(({ took }) => took < 500).length > 100, 'questions to a silent Postgres are bounded')
  proxy.set('pass')
  // The client goes on with what is queued even after its end.
  while ((await check(other.key)) !== 'ok') await delay(50)
})

t.test('the last use is noted, at most once a minute a key', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, skip } = await makeAuthenticator(t)
  const lastUse = async (): Promise<number | undefined> =>
    (await listKeys(stores.sql, workspace.id))
      .find((key) => key.id === workspace.keyId)
      ?.lastUsedAt?.getTime()
  const before = Date.now()
  t.equal(await lastUse(), undefined)
  t.equal(await check(workspace.serverKey), 'ok')
  await delay(1_300)
  const first = await lastUse()
  t.ok(first !== undefined && first >= before && first <= Date.now())
  t.equal(await check(workspace.serverKey), 'ok')
  await delay(1_200)
  t.equal(await lastUse(), first)
  skip(60_000)
  t.equal(await check(workspace.serverKey), 'ok')
  await delay(1_200)
  t.ok(((await lastUse()) ?? 0) > (first ?? 0))
})
