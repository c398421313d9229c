import type { Test } from 'tap'
import { svc } from '../../../cli/test/support/run.js'
import { ROW } from '../../../domain/row.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { type EventLog, type LogRecord, LogUnavailableError } from '../../../log/port.js'
import { encodeRecords } from '../../../log/record.js'
import type { Deployment } from '../../support/deployment.js'
import { call, callAgain, storedEvents, until } from '../../support/service.js'

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

async function letters({ environment }: Deployment, ...args: string[]): Promise<Listed> {
  const { code, out, err } = await svc(
    ['admin', 'dead-letters', 'list', '--limit', '1000', ...args, '--json'],
    environment,
  )
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as Listed
}

const replay = ({ environment }: Deployment, ...args: string[]) =>
  svc(['admin', 'dead-letters', 'replay', ...args], environment)

async function send(service: Deployment, events: readonly object[]): Promise<void> {
  const { serverKey } = service.keys
  const { status } = await callAgain(serverKey, 'POST', () => `${service.ingest}/v1/events`, { events })
  if (status !== 202) throw new Error(`events were answered with ${status}`)
}

/** Again where nothing was written, which the brokers may need a moment for. */
async function append(log: EventLog, records: readonly LogRecord[]): Promise<void> {
  await until(
    () =>
      log.append(records).then(
        () => true,
        (error: unknown) => {
          if (error instanceof LogUnavailableError) return false
          throw error
        },
      ),
    (written) => written,
    30,
  )
}

/** Records that no gateway would write, among the others of a running log. */
async function appendPoison(log: EventLog): Promise<void> {
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
    return encodeRecords(batch, keys, log, () => false).records[0]?.payload ?? new Uint8Array()
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
  // One record claims three events: dead letters count the events that their record claims.
  for (const [i, payload] of poison.entries())
    await append(log, [{ partition: 0, payload, events: i === CLAIMS_THREE ? 3 : 1 }])
  await append(log, [{ partition: log.partitions, payload: Uint8Array.from({ length: 80 }, () => 3) }])
  // No poison, though odd: a workspace that does not exist, and properties deeper than the engine's JSON
  // functions go.
  await append(log, [{ partition: 0, payload: record(), events: 1 }])
  await append(log, [{ partition: 0, payload: record(deep), events: 1 }])
}

const CLAIMS_THREE = 5
const REASONS = [
  /0 bytes has no header/,
  /format 0 is not known/,
  /rows? .*end|rows end|row 0/,
  /format 9 is not known/,
  /not an event record/,
  /rows end|row \d has/,
  /impossible time of receipt/,
  /strings do not fill/,
  /strings do not fill/,
  /another time of receipt/,
]

/** Poison stops nothing, is listed with its reason, and is stored once its cause is gone. */
export async function testDeadLetters(t: Test, service: Deployment): Promise<void> {
  await service.restartAfter(({ clickhouse }) =>
    clickhouse.command("ALTER TABLE events ADD CONSTRAINT no_poison CHECK event != 'poison'"),
  )
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
  await service.withLog(appendPoison)
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
    () => letters(service),
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
  const [refused] = (await letters(service, '--reason', 'no_poison', '--workspace', service.keys.workspaceId))
    .data
  const shown = await svc(['admin', 'dead-letters', 'show', refused?.id ?? ''], service.environment)
  t.match(shown.out, /event +poison\nuserId +ada\n/)
  t.match(shown.out, /properties +\{"n":\d+\}\n/)

  // The cause is still there.
  const inVain = await replay(service, '--all', '--json')
  t.match(inVain, { code: 1, err: /\(DEAD_AGAIN\)\n$/ })
  t.match(JSON.parse(inVain.out), { state: 'done', letters: total, replayed: 0, failed: total })
  t.ok((await letters(service)).data.every(({ attempts }) => attempts === 2))
  await send(service, [{ event: 'fine', userId: 'bo' }])
  t.equal(
    await until(
      () => storedEvents(service),
      (n) => n === good + 1,
    ),
    good + 1,
    'the partition goes on',
  )

  // It is gone. A consumer dies with the first letters inserted and not marked; the next start finishes what
  // was asked for.
  const codes = await service.restartAfter(
    ({ clickhouse }) => clickhouse.command('ALTER TABLE events DROP CONSTRAINT no_poison'),
    { SVC_FAULT_POINT: 'replay:inserted' },
  )
  t.ok(
    codes.every((code) => code === 0),
    `exit codes ${codes}`,
  )
  const died = service.struck()
  const unfinished = await replay(service, '--all', '--reason', 'no_poison', '--timeout', '3')
  t.equal(unfinished.code, 1)
  t.match(unfinished.err, /^svc: /)
  await died
  await service.crash()
  const all = good + 1 + POISON_EVENTS
  t.equal(
    await until(
      () => storedEvents(service),
      (n) => n >= all,
    ),
    all,
  )
  await until(
    () => letters(service, '--state', 'waiting'),
    ({ pagination }) => pagination.total === 0,
  )
  t.equal((await letters(service, '--state', 'replayed')).pagination.total, POISON_EVENTS)
  t.equal((await letters(service)).pagination.total, REASONS.length + 1)
  t.equal(await storedEvents(service), all, 'each once')
  const events = await call<{
    data: { event: string; receivedAt: string }[]
    pagination: { total: number }
  }>(service.keys.apiKey, 'GET', `${service.api}/v1/events?limit=100&sortBy=event&sortDir=desc`)
  t.equal(events.body.pagination.total, all)
  t.equal(events.body.data.filter(({ event }) => event === 'poison').length, POISON_EVENTS)
  t.match(await service.settled(), { stored: all + 2, dead: REASONS.length + 3 })
  for (const code of await service.stop()) t.equal(code, 0)

  const nobody = await replay(service, '--all', '--json', '--timeout', '2')
  t.equal(nobody.code, 1)
  t.match(
    nobody.err,
    /^svc: no (running svc started|svc is running on this data directory).* stays requested.*\(NOT_RUNNING\)\n$/,
  )
  t.match(JSON.parse(nobody.out), { state: 'requested', letters: REASONS.length + 1 })
}
