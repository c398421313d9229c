import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { v7 } from 'uuid'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { LogOutcomeUnknownError, type LogRecord, LogUnavailableError } from '../../../log/port.js'
import { closeLog, reopenLog } from '../../../postgres/tables/logs.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { faultyLog } from '../../test/support/faulty-log.js'
import { startStores } from '../../test/support/gateway.js'
import { acquireWriterLease, WRITER_LEASE_MS, type WriterLeaseOptions } from '../writer-lease.js'

const stores = await startStores()
t.teardown(() => stores.stop())
const { sql } = stores
const RECORD: LogRecord = { partition: 0, payload: new Uint8Array([1, 2, 3]) }

/** A log registered in its own database. */
async function openLog(t: { teardown(fn: () => unknown): unknown }, name: string) {
  const log = await openEmbeddedLog({
    path: join(stores.folder, name),
    partitions: 1,
    identityPartitions: 1,
  })
  t.teardown(() => log.close())
  await sql`update logs set drained_at = now() where drained_at is null`
  await sql`insert into logs (id, partitions, identity_partitions) values (${log.id}, 1, 1)`
  return faultyLog(log)
}

const time = { mono: 0, wall: 0 }
const options = (log: WriterLeaseOptions['log'], more: Partial<WriterLeaseOptions> = {}) => ({
  sql,
  log,
  name: 'gateway',
  logger: pino({ level: 'silent' }),
  clock: () => performance.now() + time.mono,
  now: () => Date.now() + time.wall,
  id: v7(),
  ...more,
})

const writers = async (): Promise<number> => (await sql`select from log_writers`).count

const takes = (log: WriterLeaseOptions['log']): Promise<boolean> =>
  log.append([RECORD]).then(
    () => true,
    () => false,
  )

t.afterEach(() => {
  time.mono = 0
  time.wall = 0
})

t.test('a closing log accepts nothing, and the lease is released once appends have ended', async (t) => {
  const { log, faults } = await openLog(t, 'closing')
  const lease = await acquireWriterLease(options(log))
  await lease.log.append([RECORD])
  await lease.log.ping()
  t.equal(await lease.log.end(0), 1)
  t.equal(await writers(), 1)

  let finish = (): void => {}
  faults.after = () => new Promise((resolve) => (finish = resolve))
  const slow = lease.log.append([RECORD])
  await closeLog(sql, log.id)
  await waitUntil(() =>
    lease.log.ping().then(
      () => false,
      () => true,
    ),
  )
  t.equal(await writers(), 1, 'while an append is under way the right stays')
  finish()
  await slow
  await waitUntil(async () => (await writers()) === 0)
  await t.rejects(lease.log.append([RECORD]), LogUnavailableError)
  await t.rejects(lease.log.ping(), /closing or drained/)
  await t.rejects(lease.log.end(1), LogUnavailableError, 'an alias is refused as well')
  t.equal(await log.end(0), 2, 'nothing was written')

  faults.after = undefined
  await reopenLog(sql, log.id)
  await waitUntil(() => takes(lease.log))
  await lease.release()
  t.equal(await writers(), 0)
  await t.rejects(lease.log.append([RECORD]), LogUnavailableError)
})

t.test('records that become durable after the lease has expired are not acknowledged', async (t) => {
  const { log, faults } = await openLog(t, 'expired')
  for (const clock of ['mono', 'wall'] as const) {
    const lease = await acquireWriterLease(options(log))
    // The process sleeps between the append and what follows.
    faults.after = async () => {
      time[clock] = WRITER_LEASE_MS
    }
    await t.rejects(lease.log.append([RECORD]), LogOutcomeUnknownError, clock)
    faults.after = undefined
    await t.rejects(lease.log.append([RECORD]), LogUnavailableError, `${clock}: nor is any begun`)
    time[clock] = 0
    await lease.release()
  }
})

t.test('a log that is closing, drained or unknown gives no lease', async (t) => {
  const { log } = await openLog(t, 'late')
  await closeLog(sql, log.id)
  for (const state of ['closing', 'drained', 'unknown']) {
    if (state === 'drained') await sql`update logs set drained_at = now() where id = ${log.id}`
    if (state === 'unknown') await sql`delete from logs where id = ${log.id}`
    const lease = await acquireWriterLease(options(log))
    await t.rejects(lease.log.append([RECORD]), LogUnavailableError, state)
    t.equal(await writers(), 0, state)
    await lease.release()
  }
})

t.test('a renewal that meets the closing comes before it or is refused', async (t) => {
  const { log } = await openLog(t, 'race')
  for (let round = 0; round < 20; round++) {
    const [lease] = await Promise.all([acquireWriterLease(options(log)), closeLog(sql, log.id)])
    // In any order: a closing log admits no writer, and the lease is released.
    await waitUntil(async () => (await writers()) === 0)
    t.notOk(await takes(lease.log))
    await lease.release()
    await reopenLog(sql, log.id)
  }
})

t.test('the gateway stores the error of its log', async (t) => {
  const { log, faults } = await openLog(t, 'report')
  faults.ping = () => Promise.reject(new Error('the disk is full'))
  const lease = await acquireWriterLease(options(log))
  t.match(await sql`select name, problem from log_writers`, [
    { name: 'gateway', problem: 'the disk is full' },
  ])
  await lease.release()
})
