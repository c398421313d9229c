import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { startCluster } from '../support/cluster.js'
import { kafkaProblem } from '../support/kafka.js'
import { untilMissing } from '../support/outage/stage-readiness.js'
import { until } from '../support/service.js'
import { Traffic } from '../support/traffic.js'

/*
 * Several gateway processes of one program share a port. Each appends to Kafka under a different name, a
 * killed one is replaced under its name, and all of them drain together.
 */

const WORKERS = 3

t.test('gateway processes share a port', { timeout: 600_000, skip: kafkaProblem() ?? false }, async (t) => {
  const cluster = await startCluster({
    brokers: 1,
    logLevel: 'error',
    env: { SVC_INGEST_WORKERS: String(WORKERS) },
  })
  t.teardown(() => cluster.close())
  const { keys, sql } = cluster
  const [gateway] = cluster.stages('ingest')
  const [api] = cluster.stages('api')
  if (gateway?.url === undefined || api?.url === undefined) throw new Error('a stage is missing')
  const { url } = gateway
  const writers = async () => {
    const rows = await sql<{ id: string; name: string }[]>`
      select distinct on (name) id, name from log_writers order by name, renewed_at desc`
    return rows.map(({ id, name }) => ({ id, name }))
  }
  const names = async () => (await writers()).map(({ name }) => name)
  const wanted = Array.from({ length: WORKERS }, (_, i) => `ingest-1:${i + 1}`)
  t.same(await names(), wanted, 'each has a different name')

  const workers = async () => childrenOf(gateway.pid ?? 0)
  const traffic = new Traffic({ api: api.url, ingest: url, keys }, { clients: 9, events: 4, pauseMs: 60 })
  t.ok(await traffic.sees(202, 40), 'events are taken')

  let killed: string | undefined
  await t.test('a gateway process that is killed is replaced', async (t) => {
    const before = await writers()
    const [victim = 0] = await workers()
    process.kill(victim, 'SIGKILL')
    t.ok(await traffic.sees(202, 20), 'the others go on')
    const now = await until(workers, (pids) => pids.length === WORKERS && !pids.includes(victim))
    t.equal(now.length, WORKERS, 'another one takes its place')
    const after: typeof before = await until(
      writers,
      (rows) => rows.filter((row, i) => row.id !== before[i]?.id).length === 1,
    )
    t.same(
      after.map(({ name }) => name),
      wanted,
      'under the same name',
    )
    killed = before.find(({ id }, i) => id !== after[i]?.id)?.id
    t.equal(await untilMissing(gateway.admin, 'ready'), 'ready')
    t.equal(gateway.url, url, 'at the same address')
    t.equal(listenersOn(Number(new URL(url).port)), WORKERS, 'each of them listens')
  })

  await t.test('a drain ends all gateway processes and loses nothing', async (t) => {
    t.equal(await gateway.stop(), 0)
    // That of the process that was killed expires by itself.
    t.same(
      (await sql<{ id: string }[]>`select id from log_writers`).filter(({ id }) => id !== killed),
      [],
      'each has given back its right to append',
    )
    await traffic.stop()
    const { problems, stored } = await traffic.verify()
    t.same(problems.slice(0, 5), [])
    t.ok(stored >= traffic.acknowledged)
    t.equal((await cluster.settled(30_000)).dead, 0)
  })
})

/** Sockets that take connections to a port: where several do, the system deals them out. */
function listenersOn(port: number): number {
  const place = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(place) === true && state === '0A').length
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const stat = readFileSync(`/proc/${child}/stat`, 'utf8')
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return Number(parent) === pid && state !== 'Z'
      } catch {
        return false
      }
    })
}
