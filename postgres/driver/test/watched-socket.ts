import { join } from 'node:path'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import t from 'tap'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { vacuumTables } from '../../tables/vacuum.js'
import { start, temporaryFolder } from '../../test/support/server.js'
import { connectPostgres, type Sql, type Transaction } from '../client.js'
import { watchedSockets } from '../watched-socket.js'

const server = await start(t, join(temporaryFolder(t), 'postgres'))

// They wait for seconds, each behind a separate proxy.
t.jobs = 4

async function wayOf(test: Pick<typeof t, 'teardown'>) {
  const address = new URL(server.url)
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(address.port) })
  test.teardown(() => proxy.close())
  address.port = String(proxy.port)
  return { proxy, sql: connect(test, address.href) }
}

function connect(test: Pick<typeof t, 'teardown'>, url: string): Sql {
  const sql = connectPostgres({ url, applicationName: 'svc test', maxConnections: 1, statementMs: 1_000 })
  test.teardown(() => sql.end({ timeout: 0 }))
  return sql
}

t.test('a connection whose peer is silently gone is closed, and the next one works', async (t) => {
  const { proxy, sql } = await wayOf(t)
  await sql`select 1`
  await proxy.set('hang')
  const asked = sql`select 2`.then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  )
  await setImmediate()
  proxy.abandon()
  await proxy.set('pass')
  t.equal(await asked, 'CONNECTION_CLOSED')
  t.same([...(await sql`select 3 as three`)], [{ three: 3 }])
})

t.test('a transaction may lose its connection at any moment, and only it fails', async (t) => {
  const { proxy, sql } = await wayOf(t)
  const lose = async () => {
    proxy.cut()
    await delay(20)
  }
  const moments: readonly ((tx: Transaction) => Promise<unknown>)[] = [
    async (tx) => {
      const asked = tx`select pg_sleep(5)`
      setTimeout(() => proxy.cut(), 50)
      await asked
    },
    async (tx) => {
      await lose()
      await tx`select 1`
    },
    async (tx) => {
      await lose()
      await tx.unsafe('select 1').catch(() => {})
      await tx`select 2`
    },
    async (tx) => {
      await tx`select 1`
      await lose()
      throw new Error('for another reason')
    },
    lose,
  ]
  for (const moment of moments)
    await t.rejects(
      sql.begin(async (tx) => {
        await tx`select ${tx`1`} as nested`
        await moment(tx)
      }),
      { code: 'CONNECTION_CLOSED' },
    )
  await t.rejects(
    sql.begin((tx) => tx`select 1 / 0`),
    { code: '22012' },
    'what Postgres refuses is refused',
  )
  t.same([...(await sql.begin((tx) => tx`select ${'four'}::text as four`))], [{ four: 'four' }])
  t.same([...(await sql`select 5 as five`)], [{ five: 5 }])
})

t.test('the locks of a transaction whose client is gone are released', async (t) => {
  const past = connect(t, server.url)
  await past`create table counters as select 0 as n`
  const { proxy, sql } = await wayOf(t)
  let reached = (): void => {}
  const asked = new Promise<void>((resolve) => {
    reached = resolve
  })
  const begun = sql
    .begin(async (tx) => {
      await tx`update counters set n = 1`
      await proxy.set('hang')
      reached()
      await tx`select 1`
    })
    .then(
      () => 'committed',
      (error: { code?: string }) => error.code,
    )
  await asked
  await setImmediate()
  proxy.abandon()
  await proxy.set('pass')
  const startedAt = performance.now()
  for (;;) {
    const done = await past`update counters set n = n + 2`.then(
      () => true,
      () => false,
    )
    if (done) break
    if (performance.now() - startedAt > 20_000) return t.fail('the row is locked for good')
  }
  t.same([...(await past`select n from counters`)], [{ n: 2 }])
  t.equal(await begun, 'CONNECTION_CLOSED')
})

t.test('idle and listening connections stay open', async (t) => {
  const { proxy, sql } = await wayOf(t)
  const heard: string[] = []
  await sql.listen('svc_test', (text) => void heard.push(text))
  await sql`select 1`
  const { connections } = proxy
  await delay(7_500)
  await sql`select 1`
  await sql.notify('svc_test', 'hello')
  await waitUntil(() => heard.length > 0)
  t.equal(proxy.connections, connections)
  t.same(heard, ['hello'])
})

t.test('an unreachable host is a rejected query and not an unhandled event', async (t) => {
  for (const port of [1, 9])
    await t.rejects(connect(t, `postgres://svc@127.0.0.1:${port}/postgres`)`select 1`, {
      code: 'ECONNREFUSED',
    })
  await t.rejects(connect(t, 'postgres://svc@no-such-host.invalid/postgres')`select 1`)
})

t.test('connections rotate over several hosts', (t) => {
  const open = watchedSockets(60_000)
  const address = { host: ['127.0.0.1', 'localhost'], port: [1, 2] }
  const names = [0, 1, 2].map(() => {
    const socket = open(address)
    socket.on('error', () => {})
    socket.destroy()
    return 'host' in socket ? socket.host : undefined
  })
  t.same(names, ['127.0.0.1', 'localhost', '127.0.0.1'])
  t.end()
})

t.test('a vacuum takes as long as it needs, but waits for its lock for two seconds only', async (t) => {
  const sql = connectPostgres({ url: server.url, applicationName: 'svc test', maxConnections: 2 })
  t.teardown(() => sql.end({ timeout: 0 }))
  await sql`create table large as select repeat('x', 100) as text from generate_series(1, 100000)`
  // With its client's limit it would end immediately.
  const hasty = connectPostgres({
    url: server.url,
    applicationName: 'svc test',
    maxConnections: 1,
    statementMs: 1,
  })
  t.teardown(() => hasty.end({ timeout: 0 }))
  const { signal } = new AbortController()
  await vacuumTables(hasty, ['large'], true, signal)
  await sql.begin(async (tx) => {
    await tx`lock table large in access share mode`
    await t.rejects(vacuumTables(hasty, ['large'], true, signal), { code: '55P03' })
  })
  await vacuumTables(hasty, ['large'], true, signal)
})
