import { join } from 'node:path'
import t from 'tap'
import { svc } from '../../cli/test/support/run.js'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import { ROW } from '../../domain/row.js'
import { openEmbeddedLog } from '../../log/embedded.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import { encodeBatch } from '../../log/record.js'
import {
  call,
  type RunningService,
  startService,
  storedEvents,
  temporaryDataDir,
  until,
} from '../support/service.js'

const data = temporaryDataDir()
t.teardown(() => data.remove())
const environment = { SVC_DATA_DIR: data.path }
const UNKNOWN_WORKSPACE = '0190c8f1-0000-7000-8000-0000000000ff'
const POISON_EVENTS = 12

interface Listed {
  readonly data: readonly {
    readonly id: string
    readonly reason: string
    readonly attempts: number
    readonly workspaceId: string | null
  }[]
  readonly pagination: { readonly total: number }
}

async function letters(...args: string[]): Promise<Listed> {
  const { code, out, err } = await svc(
    ['admin', 'dead-letters', 'list', '--limit', '1000', ...args, '--json'],
    environment,
  )
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as Listed
}

const replay = (...args: string[]) => svc(['admin', 'dead-letters', 'replay', ...args], environment)

/** A change of the engine's schema by hand, while no svc runs. */
async function alter(statement: string): Promise<void> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(data.path, 'clickhouse'), readers: 1 })
  await migrateClickHouse(clickhouse)
  await clickhouse.command(statement)
  await clickhouse.close()
}

async function send(service: RunningService, events: readonly object[]): Promise<void> {
  const { status } = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
  if (status !== 202) throw new Error(`events were answered with ${status}`)
}

/** Records that no gateway would write, among the others of a running log. */
async function appendPoison(): Promise<void> {
  const log = await openEmbeddedLog({ path: join(data.path, 'log'), partitions: 1, identityPartitions: 1 })
  const record = (properties = '{}'): Uint8Array => {
    const batch = {
      workspaceId: UNKNOWN_WORKSPACE,
      keyId: UNKNOWN_WORKSPACE,
      receivedAt: Date.now(),
      sentAt: undefined,
      events: [
        {
          event: 'stray',
          userId: 'u',
          anonymousId: undefined,
          properties,
          timestamp: undefined,
          insertId: undefined,
          sdkVersion: undefined,
        },
      ],
    }
    const keys = workspaceHashKeys(new Uint8Array(32), UNKNOWN_WORKSPACE)
    return encodeBatch(batch, keys, log, () => false).records[0]?.payload ?? new Uint8Array()
  }
  const changed = (at: number, change: (byte: number) => number): Uint8Array =>
    record().map((byte, i) => (i === at ? change(byte) : byte))
  const deep = `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`
  const poison = [
    new Uint8Array(0),
    Uint8Array.from({ length: 300 }, (_, i) => (i * 7) & 255),
    record().subarray(0, 100),
    changed(0, () => 9),
    changed(0, () => 2),
    changed(2, () => 3),
    changed(14, () => 127),
    changed(56 + ROW.fixedBytes, () => 0),
    changed(56 + ROW.fixedBytes, () => 255),
    changed(56 + ROW.receivedAt, (byte) => byte ^ 1),
  ]
  // One says that it has three events: dead letters count what their record says.
  for (const [i, payload] of poison.entries())
    await log.append([{ partition: 0, payload, events: i === CLAIMS_THREE ? 3 : 1 }])
  await log.append([{ partition: 1, payload: Uint8Array.from({ length: 80 }, () => 3) }])
  // No poison, though odd: a workspace that does not exist, and properties deeper than the engine's JSON functions go.
  await log.append([{ partition: 0, payload: record(), events: 1 }])
  await log.append([{ partition: 0, payload: record(deep), events: 1 }])
  await log.close()
}

const CLAIMS_THREE = 5
const REASONS = [
  /0 bytes has no header/,
  /format 0 is not known/,
  /rows? .*end|rows end|row 0/,
  /format 9 is not known/,
  /not an event record/,
  /rows end|row \d has/,
  /no time of a receipt/,
  /strings do not fill/,
  /strings do not fill/,
  /another time of receipt/,
]

t.test(
  'poison stops nothing, is listed with its reason, and is stored once its cause is gone',
  { timeout: 170_000 },
  async (t) => {
    await alter("ALTER TABLE events ADD CONSTRAINT no_poison CHECK event != 'poison'")
    let service = await startService(data.path, { logLevel: 'silent' })
    t.teardown(() => service.kill())
    const around = (n: number) => [
      { event: 'fine', userId: 'ada', anonymousId: `visitor${n}`, insertId: `fine${n}` },
      {
        event: 'poison',
        userId: 'ada',
        properties: { n },
        ...(n % 2 === 0 ? { insertId: `poison${n}` } : {}),
      },
      { event: 'fine', userId: 'ada' },
    ]
    for (let n = 0; n < POISON_EVENTS / 2; n++) await send(service, around(n))
    await appendPoison()
    for (let n = POISON_EVENTS / 2; n < POISON_EVENTS; n++) await send(service, around(n))
    const good = POISON_EVENTS * 2
    t.equal(
      await until(
        () => storedEvents(service),
        (n) => n === good,
      ),
      good,
      'all around the poison is stored',
    )

    const total = POISON_EVENTS + REASONS.length + 1
    const listed = await until(
      () => letters(),
      ({ pagination }) => pagination.total >= total,
    )
    t.equal(listed.pagination.total, total)
    for (const reason of REASONS)
      t.ok(
        listed.data.some((letter) => reason.test(letter.reason)),
        String(reason),
      )
    t.equal(listed.data.filter(({ reason }) => reason.includes('no_poison')).length, POISON_EVENTS)
    t.ok(listed.data.every(({ attempts }) => attempts === 1))
    const [refused] = (await letters('--reason', 'no_poison', '--workspace', service.keys.workspaceId)).data
    const shown = await svc(['admin', 'dead-letters', 'show', refused?.id ?? ''], environment)
    t.match(shown.out, /event +poison\nuserId +ada\n/)
    t.match(shown.out, /properties +\{"n":\d+\}\n/)

    // The cause is still there.
    const inVain = await replay('--all', '--json')
    t.match(inVain, { code: 1, err: /\(DEAD_AGAIN\)\n$/ })
    t.match(JSON.parse(inVain.out), { state: 'done', letters: total, replayed: 0, failed: total })
    t.ok((await letters()).data.every(({ attempts }) => attempts === 2))
    await send(service, [{ event: 'fine', userId: 'bo' }])
    t.equal(
      await until(
        () => storedEvents(service),
        (n) => n === good + 1,
      ),
      good + 1,
      'the partition goes on',
    )
    t.equal(await service.stop(), 0)

    // It is gone. The program dies with the first letters inserted and not marked; the next start finishes what was asked for.
    await alter('ALTER TABLE events DROP CONSTRAINT no_poison')
    service = await startService(data.path, {
      logLevel: 'silent',
      env: { SVC_FAULT_POINT: 'replay:inserted' },
    })
    const died = new Promise((resolve) => service.process.once('exit', resolve))
    const unfinished = await replay('--all', '--reason', 'no_poison', '--timeout', '3')
    t.equal(unfinished.code, 1)
    t.match(unfinished.err, /^svc: /)
    await died
    service = await startService(data.path, { logLevel: 'silent' })
    const all = good + 1 + POISON_EVENTS
    t.equal(
      await until(
        () => storedEvents(service),
        (n) => n >= all,
      ),
      all,
    )
    await until(
      () => letters('--state', 'waiting'),
      ({ pagination }) => pagination.total === 0,
    )
    t.equal((await letters('--state', 'replayed')).pagination.total, POISON_EVENTS)
    t.equal((await letters()).pagination.total, REASONS.length + 1)
    t.equal(await storedEvents(service), all, 'each once')
    const events = await call<{
      data: { event: string; receivedAt: string }[]
      pagination: { total: number }
    }>(service.keys.apiKey, 'GET', `${service.api}/v1/events?limit=100&sortBy=event&sortDir=desc`)
    t.equal(events.body.pagination.total, all)
    t.equal(events.body.data.filter(({ event }) => event === 'poison').length, POISON_EVENTS)
    t.same(await ledgerOf(service), {
      accepted: all + REASONS.length + 4,
      stored: all + 2,
      dead: REASONS.length + 3,
    })
    t.equal(await service.stop(), 0)

    const nobody = await replay('--all', '--json')
    t.equal(nobody.code, 1)
    t.match(
      nobody.err,
      /^svc: no svc is running on this data directory: the replay .* stays asked for.*\(NOT_RUNNING\)\n$/,
    )
    t.match(JSON.parse(nobody.out), { state: 'requested', letters: REASONS.length + 1 })
  },
)

/** The pipeline's books, from the metrics. Links that are dead letters count there, though they are no events. */
async function ledgerOf(service: RunningService): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.admin}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])
  return {
    accepted: value('svc_ledger_accepted'),
    stored: value('svc_ledger_stored'),
    dead: value('svc_ledger_dead_letters'),
  }
}
