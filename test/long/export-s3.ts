import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { packageRoot } from '../../runtime/package-root.js'
import { deployEmbedded } from '../support/deployment.js'
import { startFaultProxy } from '../support/network/fault-proxy.js'
import { freePort } from '../support/network/free-port.js'
import { withoutSvc } from '../support/program.js'
import { s3Problem, startS3Server } from '../support/s3-server.js'
import { call, callAgain, compiledRoot, until } from '../support/service.js'
import { shiftedClock } from '../support/shifted-clock.js'

const DAY_MS = 86_400_000
const PEOPLE = 40
const LIMIT_SECONDS = 180
/** In the middle of a month, so that deduplication spans the days. */
const FIRST_NOON = Date.parse(`${new Date().toISOString().slice(0, 7)}-10T12:00:00Z`)
const noon = (index: number) => FIRST_NOON + index * DAY_MS
const dayOf = (index: number) => new Date(noon(index)).toISOString().slice(0, 10)

interface ListedDay {
  readonly day: string
  readonly events: number
  readonly due: boolean
  readonly error: string | null
}

t.test('each day of events is in S3 once', { timeout: 600_000, skip: s3Problem() ?? false }, async (t) => {
  const server = await startS3Server(t)
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: server.port }, await freePort())
  t.teardown(() => proxy.close())
  const folder = t.testdir()
  const fault = join(folder, 'fault')
  writeFileSync(fault, '')
  const clock = shiftedClock(t)
  clock.set(noon(0))
  const service = await deployEmbedded(t, {
    ...clock.env,
    SVC_FAULT_POINT: `@${fault}`,
    SVC_EXPORT_S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
    SVC_EXPORT_S3_BUCKET: server.bucket,
    SVC_EXPORT_S3_PREFIX: 'svc/events',
    SVC_EXPORT_S3_ACCESS_KEY_ID: server.accessKeyId,
    SVC_EXPORT_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
  })
  const { serverKey, apiKey, sessionToken, workspaceId } = service.keys
  const reader = await openEmbeddedClickHouse({ path: join(folder, 'reader'), readers: 1 })
  t.teardown(() => reader.close())

  const admin = async (...args: string[]) => {
    const main = join(packageRoot(), compiledRoot(), 'cli/main.js')
    const env = { ...withoutSvc(process.env), ...clock.env, ...service.environment }
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'admin', ...args, '--json'], {
      env,
    })
    return JSON.parse(stdout)
  }
  const list = async (): Promise<ListedDay[]> => (await admin('export', 'list')).data
  const written = (index: number) =>
    until(
      async () => (await list()).find(({ day }) => day === dayOf(index)),
      (found) => found !== undefined && !found.due,
      LIMIT_SECONDS,
    )
  const name = (index: number) => `svc/events/workspace=${workspaceId}/day=${dayOf(index)}/part-0.parquet`
  const rowsOf = async (index: number) => {
    const file = server.objects().get(name(index)) ?? ''
    const { rows } = await reader.query<{ id: string; event: string; userId: string | null; at: string }>(
      `SELECT id, event, userId, toString(toDate(receivedAt, 'UTC')) AS at FROM file('${file}', 'Parquet')`,
    )
    return rows
  }
  let sent = 0
  /** Sends a day's events: one that happened the day before, one that came already, one of each person. */
  const send = async (index: number): Promise<void> => {
    const events = [
      { event: 'late', userId: 'user 1', timestamp: new Date(noon(index) - DAY_MS).toISOString() },
      { event: 'once', userId: 'user 1', insertId: 'the same each day' },
      ...Array.from({ length: PEOPLE }, (_, i) => ({ event: `visited_${index}`, userId: `user ${i}` })),
    ]
    const { status } = await callAgain(serverKey, 'POST', () => `${service.ingest}/v1/events`, { events })
    // Leases end when the clock jumps: 503 for a moment, and nothing is stored.
    t.equal(status, 202)
    sent += events.length - (index === 0 ? 0 : 1)
    await service.settled()
  }
  const day = async (index: number): Promise<void> => {
    clock.set(noon(index))
    await send(index)
  }
  const exportCheck = async () => {
    const { body } = await call<{ checks: { code: string; ok: boolean; message: string }[] }>(
      apiKey,
      'GET',
      `${service.api}/v1/readiness`,
    )
    return body.checks.find(({ code }) => code === 'export')
  }

  await send(0)
  t.same([...server.objects().keys()], [], 'a day that is not over is not written')
  await day(1)
  t.match(await written(0), { events: PEOPLE + 2 })
  t.ok((await rowsOf(0)).every(({ at }) => at === dayOf(0)))
  t.match(await exportCheck(), { ok: true, message: `Events are exported up to ${dayOf(0)}` })

  await t.test('a process that is killed before it notes an object writes the same one again', async (t) => {
    const struck = service.struck()
    writeFileSync(fault, 'export:part-written')
    clock.set(noon(2))
    await struck
    const object = server.objects().get(name(1)) ?? ''
    const before = readFileSync(object)
    writeFileSync(fault, '')
    await service.crash()
    t.match(await written(1), { events: PEOPLE + 1 })
    await send(2)
    t.ok(before.equals(readFileSync(object)), 'the object has the same contents')
    const late = (await rowsOf(1)).filter(({ event }) => event === 'late')
    t.equal(late.length, 1, 'a late event is in the day in which it came')
  })

  await t.test('events are accepted while the storage is away, and exported afterwards', async (t) => {
    await proxy.set('refuse')
    await day(3)
    const check = await until(exportCheck, (found) => found?.ok === false, LIMIT_SECONDS)
    t.match(check, { ok: false, message: /cannot be reached .*SVC_EXPORT_S3_ENDPOINT/ })
    const { body } = await call<{ data: { event: string }[] }>(
      apiKey,
      'GET',
      `${service.api}/v1/events?event=visited_3`,
    )
    t.equal(body.data.length, 25, 'events are read meanwhile')
    await proxy.set('pass')
    t.match(await written(2), { events: PEOPLE + 1, error: null })
  })

  await t.test('an erasure writes the days again that it has touched', async (t) => {
    const { status, body } = await call<{ id: string }>(sessionToken, 'POST', `${service.api}/v1/erasures`, {
      userId: 'user 7',
    })
    t.equal(status, 202)
    await until(
      () => call<{ status: string }>(sessionToken, 'GET', `${service.api}/v1/erasures/${body.id}`),
      (answer) => answer.body.status === 'done',
      LIMIT_SECONDS,
    )
    const days = await until(list, (found) => found.every(({ due }) => !due), LIMIT_SECONDS)
    t.same(
      days.map(({ events }) => events),
      [PEOPLE, PEOPLE, PEOPLE + 1],
      'newest first',
    )
    for (const index of [0, 1, 2]) t.notOk((await rowsOf(index)).some(({ userId }) => userId === 'user 7'))
    sent -= 4
  })

  await t.test('a wrong secret is refused, and named', async (t) => {
    await service.restart({ SVC_EXPORT_S3_SECRET_ACCESS_KEY: 'another' })
    t.match(await admin('export', 's3', '--from', dayOf(0), '--to', dayOf(1)), { days: 2 })
    const check = await until(exportCheck, (found) => found?.ok === false, LIMIT_SECONDS)
    t.match(check, { message: /SignatureDoesNotMatch.*SVC_EXPORT_S3_SECRET_ACCESS_KEY/ })
    await service.restart()
    await until(list, (found) => found.every(({ due }) => !due), LIMIT_SECONDS)
  })

  await day(4)
  await written(3)
  const stored = (await Promise.all([0, 1, 2, 3].map(rowsOf))).flat()
  t.equal(new Set(stored.map(({ id }) => id)).size, stored.length, 'each row once')
  t.equal(stored.length, sent - PEOPLE - 1, 'every event but those of the day that is not over')
  t.equal(server.objects().size, 4)
})
