import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { formatKey } from '../../../domain/key.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { hashCredential } from '../../../postgres/tables/credentials.js'
import { createKey, listKeys, revokeKey } from '../../../postgres/tables/keys.js'
import { newId, setQuota } from '../../../postgres/tables/workspaces.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { makeWorkspace, startStores, type TestWorkspace } from '../../test/support/gateway.js'
import { startProxy } from '../../test/support/proxy.js'
import { type Authentication, Authenticator } from '../authenticate.js'
import { StrangerRates } from '../stranger-rates.js'

const SENDER = { address: '192.0.2.1' }
const stores = await startStores()
t.teardown(() => stores.stop())
async function makeAuthenticator(t: Test) {
  const address = new URL(stores.url)
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) })
  address.port = String(proxy.port)
  const name = newId()
  const sql = connectPostgres({ url: address.href, applicationName: name, maxConnections: 4 })
  let skipped = 0
  let heldAt: number | undefined
  const authenticator = new Authenticator({
    sql,
    secretKey: stores.secretKey,
    logger: pino({ level: 'silent' }),
    clock: () => (heldAt ?? performance.now()) + skipped,
    now: Date.now,
    strangers: new StrangerRates(() => performance.now()),
    name,
  })
  authenticator.start()
  t.teardown(async () => {
    await authenticator.stop()
    await sql.end({ timeout: 1 })
    await proxy.close()
  })
  const check = async (key: string): Promise<'ok' | 'refused' | 'unavailable'> =>
    verdict(await authenticator.authenticate(`Bearer ${key}`, SENDER))
  return {
    authenticator,
    proxy,
    check,
    /** Waits until it receives notifications. */
    listens: async (): Promise<void> => {
      const listening = () =>
        stores.sql`select 1 from pg_stat_activity where application_name = ${name} and query ilike 'listen%'`
      await waitUntil(async () => (await listening()).length > 0)
    },
    /** Waits until it has received a heartbeat: the second one is sent after the first one was on its way. */
    beats: async (): Promise<void> => {
      const sent = async () => proxy.sent(Buffer.from(`beat:${name}:2`)) > 0
      if (!(await until(sent, true))) throw new Error('it sends no heartbeats')
    },
    /** Stops its clock, so that nothing happens because time passes. */
    hold: (): void => {
      heldAt = performance.now()
    },
    /** Moves its clock forward. */
    skip: (milliseconds: number) => {
      skipped += milliseconds
    },
    isCached: (key: string) => !(authenticator.authenticate(`Bearer ${key}`, SENDER) instanceof Promise),
    // The hash occurs twice in the query.
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

/** Polls for the expected result for two minutes, since a machine may be busy, and returns the last one. */
function until<T>(ask: () => Promise<T>, wanted: T): Promise<T> {
  return afterwards(ask, (answer) => answer === wanted)
}

/** The same for a predicate. */
async function afterwards<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (const end = performance.now() + 120_000; ; await delay(5)) {
    const answer = await ask()
    if (isWanted(answer) || performance.now() > end) return answer
  }
}

/** Waits until the key is refused. Throws after two minutes. */
async function refused(check: (key: string) => Promise<string>, key: string): Promise<void> {
  if ((await until(() => check(key), 'refused')) !== 'refused') throw new Error('never refused')
}

// Runs alone: a change of a workspace repeats every look-up in progress.
await t.test('limits of the workspace are fetched again when they change', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { authenticator, hold, listens } = await makeAuthenticator(t)
  await listens()
  hold()
  const limit = async (): Promise<number | null | undefined> => {
    const answer = await authenticator.authenticate(`Bearer ${workspace.serverKey}`, SENDER)
    return answer.ok ? answer.caller.credential.workspace.requestsPerSecond : undefined
  }
  t.equal(await limit(), null)
  await setQuota(stores.sql, { workspaceId: workspace.id, requestsPerSecond: 7 })
  t.equal(await until(limit, 7), 7)
})

// Each of the others has its own authenticator and connection.
t.jobs = 4

t.test('concurrent requests share one look-up of a key, which is then cached', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, isCached, listens, lookUps } = await makeAuthenticator(t)
  await listens()
  const answers = await Promise.all(Array.from({ length: 100 }, () => check(workspace.serverKey)))
  t.ok(answers.every((answer) => answer === 'ok'))
  t.equal(lookUps(workspace.serverKey), 1)
  /** Whether it needs no look-up for one and a half seconds. */
  const stays = async (): Promise<boolean> => {
    const before = lookUps(workspace.serverKey)
    for (let i = 0; i < 30; i++) {
      if (!isCached(workspace.serverKey)) return false
      await delay(50)
    }
    return lookUps(workspace.serverKey) === before
  }
  // A busy machine may delay a heartbeat for a second.
  let fresh = false
  for (let i = 0; i < 5 && !fresh; i++) {
    t.equal(await check(workspace.serverKey), 'ok')
    fresh = await stays()
  }
  t.ok(fresh, 'heartbeats keep it fresh')
})

t.test('anything but a live server key is refused', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, isCached, lookUps } = await makeAuthenticator(t)
  const unknown = formatKey('server', randomBytes(64))
  t.equal(await check(unknown), 'refused')
  for (let i = 0; i < 20; i++) t.equal(await check(unknown), 'refused')
  t.equal(lookUps(unknown), 1, 'the refusal is cached for a moment')
  t.ok(isCached(unknown))
  for (const key of [workspace.apiKey, workspace.publishableKey, 'x', `${workspace.serverKey}0`]) {
    t.ok(isCached(key), 'no look-up')
    t.equal(await check(key), 'refused')
  }
})

t.test('a revocation takes effect immediately', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, hold, listens } = await makeAuthenticator(t)
  await listens()
  hold()
  t.equal(await check(workspace.serverKey), 'ok')
  await revoke(workspace)
  await refused(check, workspace.serverKey)
})

t.test('a removed person and an expired key are refused immediately', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, hold, listens, isCached } = await makeAuthenticator(t)
  await listens()
  hold()
  const base = { workspaceId: workspace.id, type: 'server', name: 'short', scopes: [] } as const
  const now = new Date()
  const short = await createKey(stores.sql, stores.secretKey, {
    ...base,
    id: newId(),
    expiresAt: new Date(Date.now() + 3_600_000),
    now,
  })
  t.equal(await check(short.key), 'ok')
  await stores.sql`update api_keys set expires_at = now() where id = ${short.id}`
  t.equal(await until(() => check(short.key), 'refused'), 'refused')

  t.equal(await check(workspace.serverKey), 'ok')
  t.ok(isCached(workspace.serverKey))
  await stores.sql`update people set removed_at = now() where workspace_id = ${workspace.id}`
  t.equal(await until(() => check(workspace.serverKey), 'refused'), 'refused')
})

t.test('a new key works immediately, even if it was refused just before', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, hold, listens } = await makeAuthenticator(t)
  await listens()
  hold()
  const random = randomBytes(64)
  const text = formatKey('server', random)
  t.equal(await check(text), 'refused')
  await createKey(stores.sql, stores.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'server',
    name: 'new',
    scopes: [],
    now: new Date(),
    random,
  })
  t.equal(await until(() => check(text), 'ok'), 'ok')
})

t.test('a revocation takes effect within a second if its notification is lost', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, proxy, beats, hold, listens, skip } = await makeAuthenticator(t)
  await listens()
  t.equal(await check(workspace.serverKey), 'ok')
  await beats()
  hold()
  t.equal(await check(workspace.serverKey), 'ok')
  proxy.loseNotifications()
  await revoke(workspace)
  skip(1_001)
  await refused(check, workspace.serverKey)
})

t.test('a revocation during an outage of the channel takes effect within a second', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, proxy, beats, hold, listens, skip } = await makeAuthenticator(t)
  await listens()
  t.equal(await check(workspace.serverKey), 'ok')
  await beats()
  hold()
  proxy.cut()
  await revoke(workspace)
  // A look-up over a connection that was cut is repeated a second later.
  const asked = () => {
    skip(1_001)
    return check(workspace.serverKey)
  }
  t.equal(await until(asked, 'refused'), 'refused')
  // The channel comes back too.
  const other = await anotherKey(workspace)
  t.equal(await check(other.key), 'ok')
})

t.test('a key that changes while it is looked up is looked up again', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, proxy, hold, listens } = await makeAuthenticator(t)
  await listens()
  hold()
  proxy.set('hang')
  const asked = check(workspace.serverKey)
  await revoke(workspace)
  proxy.set('pass')
  await asked
  await refused(check, workspace.serverKey)
})

t.test('without Postgres recent keys work for less than a minute, and others get 503', async (t) => {
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
  await waitUntil(async () => (await check(workspace.serverKey)) === 'ok')
  t.equal(await check(other.key), 'ok')
})

t.test('requests do not wait long for a silent Postgres', async (t) => {
  const workspace = await makeWorkspace(stores)
  const other = await anotherKey(workspace)
  const { check, isCached, proxy, skip } = await makeAuthenticator(t)
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
  t.ok(first.took < 30_000 && unknown.took < 30_000)
  t.ok(isCached(workspace.serverKey), 'only the first waits')
  t.equal(await check(workspace.serverKey), 'ok')
  let answered = 0
  const flood = Array.from({ length: 400 }, async () => {
    const answer = await check(formatKey('server', randomBytes(64)))
    answered++
    return answer
  })
  // In this turn of the event loop, so nothing can have waited.
  await new Promise((next) => setImmediate(next))
  t.ok(answered > 100, `questions to a silent Postgres are bounded: ${answered} were answered at once`)
  t.ok((await Promise.all(flood)).every((answer) => answer === 'unavailable'))
  proxy.set('pass')
  // The client works off its queue even after its end.
  await waitUntil(async () => (await check(other.key)) === 'ok')
})

t.test('the last use of a key is recorded at most once a minute', async (t) => {
  const workspace = await makeWorkspace(stores)
  const { check, skip } = await makeAuthenticator(t)
  const lastUseOf = (id: string) => async (): Promise<number | undefined> =>
    (await listKeys(stores.sql, workspace.id)).find((key) => key.id === id)?.lastUsedAt?.getTime()
  const lastUse = lastUseOf(workspace.keyId)
  const before = Date.now()
  t.equal(await lastUse(), undefined)
  t.equal(await check(workspace.serverKey), 'ok')
  const first = await afterwards(lastUse, (used) => used !== undefined)
  t.ok(first !== undefined && first >= before && first <= Date.now())
  t.equal(await check(workspace.serverKey), 'ok')
  // A later use of another key is written together with all that are waiting.
  const other = await anotherKey(workspace)
  t.equal(await check(other.key), 'ok')
  t.ok(await afterwards(lastUseOf(other.id), (used) => used !== undefined))
  t.equal(await lastUse(), first)
  skip(60_000)
  t.equal(await check(workspace.serverKey), 'ok')
  const second = await afterwards(lastUse, (used) => used !== first)
  t.ok((second ?? 0) > (first ?? 0))
})
