import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Deployment } from '../../../test/support/deployment.js'
import { call, countOf, until } from '../../../test/support/service.js'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.js'
import type { Driver, Failure, Sdk } from './sdk.js'

interface World {
  readonly t: Test
  readonly sdk: Sdk
  readonly service: Deployment
  readonly proxy: FaultyProxy
  /** An event that no other scenario sends. */
  readonly event: { readonly event: string }
  readonly options: Readonly<Record<string, unknown>>
  /** A folder of this scenario. */
  readonly folder: string
  /** Checks how often the event is stored, by as many users. */
  stores(count: number, users?: number): Promise<void>
}

type Counts = Readonly<Record<string, number>>
type Stats = Counts & { readonly acceptedByHour: Counts }

/** `tracked` + `recovered` = `accepted` + `refused` + `lost` + `queued`, with these figures. */
async function counts({ t }: World, driver: Driver, wanted: Counts): Promise<void> {
  const { acceptedByHour, ...found } = await driver.run<Stats>('stats')
  const { tracked = 0, recovered = 0, accepted = 0, refused = 0, lost = 0, queued = 0 } = found
  t.equal(tracked + recovered, accepted + refused + lost + queued, 'the counters add up')
  const hours = Object.entries(acceptedByHour)
  t.equal(
    hours.reduce((sum, [, events]) => sum + events, 0),
    accepted,
    'the hours add up',
  )
  for (const [hour] of hours)
    t.equal(new Date(Math.floor(Date.parse(hour) / 3.6e6) * 3.6e6).toISOString(), hour)
  t.match(found, wanted)
}

const failuresOf = (driver: Driver): Promise<Failure[]> => driver.run<Failure[]>('failures')
const named = (failures: readonly Failure[], code: string): Failure[] =>
  failures.filter((failure) => failure.code === code)

/** Faults after which each event is stored once, with the code that `onError` gets. */
const RETRIED = [
  ['NO_ANSWER', 'before'],
  ['NO_ANSWER', 'within'],
  ['NO_ANSWER', 'after'],
  ['NO_ANSWER', { status: 202, body: '<html>welcome</html>' }],
  ['NO_ANSWER', { status: 202, body: '{"accepted":1}' }],
  ['NO_ANSWER', { status: 200, body: '' }],
  ['HTTP_307', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }],
  ['HTTP_400', { status: 400, body: 'bad request, says a proxy' }],
  ['UNAUTHORIZED', { status: 401, body: '{"code":"UNAUTHORIZED","message":"no","requestId":"r"}' }],
  ['HTTP_404', { status: 404, body: 'not here' }],
  ['INTERNAL', { status: 500, body: '{"code":"INTERNAL","message":"no","requestId":"r"}' }],
  ['HTTP_502', { status: 502, body: 'bad gateway' }],
  ['UNAVAILABLE', { status: 503, body: '{"code":"UNAVAILABLE","message":"no","requestId":"r"}' }],
] as const

/** Scenarios for both libraries. Each row is run for each library. */
export const SCENARIOS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'events go in batches with ids and times of their own, and sentAt': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start(options)
    const before = Date.now()
    t.equal(await driver.run('trackMany', { event: { ...event, properties: { n: 1 } }, count: 1_203 }), 1_203)
    t.equal(await driver.run('flush', {}), true)
    const batches = proxy.seen.map(({ body }) => body.events ?? [])
    t.equal(Math.max(...batches.map(({ length }) => length)), 500)
    const all = batches.flat()
    t.equal(new Set(all.map(({ insertId }) => insertId)).size, 1_203, 'an id for each')
    t.ok(all.every(({ timestamp }) => Math.abs(Date.parse(String(timestamp)) - before) < 30_000))
    t.ok(proxy.seen.every(({ body }) => Date.parse(body.sentAt ?? '') >= before))
    t.ok(proxy.seen.every(({ headers, bytes }) => (headers['content-encoding'] === 'gzip') === bytes > 1_024))
    await counts(world, driver, { tracked: 1_203, accepted: 1_203, queued: 0, queuedBytes: 0, dropped: 0 })
    t.equal(
      await driver.run('track', { event: { ...event, userId: 'u0', insertId: 'mine', timestamp: null } }),
      true,
    )
    t.equal(await driver.run('close', {}), true)
    t.equal(await driver.run('track', { event: { ...event, userId: 'u0' } }), false, 'closed')
    const last = proxy.seen.at(-1)
    t.match(last?.body.events, [{ insertId: 'mine', userId: 'u0' }])
    t.equal(last?.headers['content-encoding'], undefined, 'a small body is not compressed')
    t.same(await failuresOf(driver), [])
    await world.stores(1_204, 1_203)
  },

  'flushAt and flushIntervalMs send without a flush': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start({ ...options, flushAt: 10, flushIntervalMs: 86_400_000 })
    await driver.run('trackMany', { event, count: 10 })
    await until(
      () => driver.run<Counts>('stats'),
      ({ accepted }) => accepted === 10,
    )
    await driver.run('trackMany', { event, count: 9 })
    await counts(world, driver, { accepted: 10, queued: 9 })
    t.equal(proxy.seen.length, 1)
    const timed = await sdk.start({ ...options, flushIntervalMs: 50, gzip: false })
    await timed.run('trackMany', { event, count: 30 })
    await until(
      () => timed.run<Counts>('stats'),
      ({ accepted }) => accepted === 30,
    )
    t.equal(proxy.seen.at(-1)?.headers['content-encoding'], undefined, 'gzip is off')
    await driver.run('close', {})
    await world.stores(49, 30)
  },

  'what may have failed is tried again until svc has it': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start(options)
    for (const [index, [code, fault]] of RETRIED.entries()) {
      proxy.next(fault, 'pass')
      await driver.run('track', { event: { ...event, userId: `u${index}` } })
      t.equal(await driver.run('flush', { ms: 30_000 }), true, JSON.stringify(fault))
      const [first, last] = proxy.seen.slice(-2)
      t.match(await failuresOf(driver), [{ code, events: [] }], code)
      t.same(first?.body.events, last?.body.events, 'the same event, with the same id and time')
    }
    await counts(world, driver, { accepted: RETRIED.length, retries: RETRIED.length })
    await world.stores(RETRIED.length)
  },

  'a Retry-After is kept, and a time-out ends a request': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start({ ...options, timeoutMs: 300 })
    proxy.next({ status: 429, headers: { 'retry-after': '2' } }, 'pass')
    await driver.run('track', { event: { ...event, userId: 'u1' } })
    t.equal(await driver.run('flush', { ms: 30_000 }), true)
    const [first, second] = proxy.seen
    const sentAt = [first, second].map((seen) => Date.parse(seen?.body.sentAt ?? ''))
    t.ok(
      Number(sentAt[1]) - Number(sentAt[0]) >= 1_990,
      'not before two seconds have passed; sentAt is of each try',
    )
    proxy.next('hang', 'pass')
    await driver.run('track', { event: { ...event, userId: 'u2' } })
    t.equal(await driver.run('flush', { ms: 30_000 }), true)
    t.match(await failuresOf(driver), [{ status: 429 }, { code: 'NO_ANSWER', status: null }])
    await world.stores(2)
  },

  'events that svc refuses go to onError, and the others are sent': async (world) => {
    const { t, sdk, event, options } = world
    const driver = await sdk.start({ ...options, flushIntervalMs: 86_400_000 })
    await driver.run('trackMany', { event, count: 40 })
    await driver.run('track', { event: { event: 'no good!', userId: 'bad-1' } })
    await driver.run('track', {
      event: { ...event, properties: { text: 'x'.repeat(9_000) }, userId: 'bad-2' },
    })
    await driver.run('track', { event: { ...event } })
    t.equal(await driver.run('flush', {}), true)
    const failures = await failuresOf(driver)
    t.match(named(failures, 'VALIDATION_FAILED'), [{ status: 400 }, { status: 400 }, { status: 400 }])
    t.same(failures.flatMap(({ events }) => events.map(({ userId = '' }) => userId)).sort(), [
      '',
      'bad-1',
      'bad-2',
    ])
    await counts(world, driver, { tracked: 43, accepted: 40, refused: 3, retries: 0 })
    await world.stores(40)
  },

  'a batch has at most 4 MiB, and an event above that is refused at once': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start({ ...options, flushIntervalMs: 86_400_000, gzip: false, flushAt: 500 })
    proxy.next({ status: 413, body: 'too large for this proxy' }, 'pass')
    await driver.run('trackMany', {
      event: { ...event, properties: { text: 'ü'.repeat(4_000) } },
      count: 499,
    })
    await driver.run('trackMany', {
      event: { ...event, properties: { text: 'ü'.repeat(4_000) } },
      count: 101,
    })
    t.equal(await driver.run('flush', { ms: 60_000 }), true)
    t.ok(Math.max(...proxy.seen.map(({ bytes }) => bytes)) <= 4 * 1_048_576)
    t.same(await failuresOf(driver), [], 'a 413 is sent in halves')
    const large = { ...event, userId: 'u', properties: { text: 'x'.repeat(5 * 1_048_576) } }
    t.equal(await driver.run('track', { event: large }), false)
    t.match(await failuresOf(driver), [{ code: 'EVENT_TOO_LARGE', events: [] }])
    await counts(world, driver, { accepted: 600, dropped: 1, refused: 0 })
    await world.stores(600, 499)
  },

  'a full queue refuses, and is reported once': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start({ ...options, maxQueueBytes: 50_000 })
    proxy.next({ status: 503, body: '' })
    const tracked = await driver.run<number>('trackMany', { event, count: 1_000 })
    t.ok(tracked > 100 && tracked < 1_000, `${tracked} fit`)
    await counts(world, driver, { tracked, dropped: 1_000 - tracked })
    t.equal(named(await failuresOf(driver), 'QUEUE_FULL').length, 1)
    proxy.next('pass')
    t.equal(await driver.run('flush', { ms: 30_000 }), true)
    t.equal(await driver.run('track', { event: { ...event, userId: 'later' } }), true)
    await driver.run('close', {})
    await world.stores(tracked + 1)
  },

  'nothing throws': async (world) => {
    const { t, sdk, event, options } = world
    const driver = await sdk.start()
    await driver.run('open', { options: { ...options, key: '' } })
    t.equal(await driver.run('track', { event: { ...event, userId: 'u' } }), false)
    t.equal(await driver.run('close', {}), true)
    t.match(await failuresOf(driver), [{ code: 'NOT_CONFIGURED' }])
    await driver.run('open', { options: { ...options, url: 'no address' } })
    t.equal(await driver.run('trackDurably', { event: { ...event, userId: 'u' } }), false)
    t.match(await failuresOf(driver), [{ code: 'NOT_CONFIGURED' }])
    await driver.run('open', { options: { ...options, flushAt: 'x', timeoutMs: 'soon' }, throwing: true })
    t.same(await driver.run('trackOdd'), [false, false, false])
    await driver.run('track', { event: { event: 'no good!', userId: 'u' } })
    await driver.run('track', { event: { ...event, userId: 'u' } })
    t.equal(await driver.run('flush', { ms: 1e300 }), true, 'any time')
    t.equal(await driver.run('close', { ms: 'now' }), true, 'a handler that throws stops nothing')
    await world.stores(1)
  },

  'close ends in its time, and says what it has lost': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start(options)
    proxy.next('hang')
    await driver.run('trackMany', { event, count: 700 })
    const before = Date.now()
    t.equal(await driver.run('close', { ms: 400 }), false)
    t.ok(Date.now() - before < 30_000)
    const lost = named(await failuresOf(driver), 'CLOSED').flatMap(({ events }) => events)
    t.equal(new Set(lost.map(({ userId }) => userId)).size, 700)
    await counts(world, driver, { tracked: 700, lost: 700, queued: 0 })
  },

  'the end of a process, exit and SIGTERM send what is queued': async (world) => {
    const { t, sdk, event, options } = world
    const env = { SVC_INGEST_URL: String(options.url), SVC_SERVER_KEY: String(options.key) }
    for (const [index, [end, status]] of (
      [
        ['end', 0],
        ['exit', 3],
        ['SIGTERM', 'SIGTERM'],
      ] as const
    ).entries()) {
      // The address and the key are those of the environment.
      const driver = await sdk.start({ flushIntervalMs: 86_400_000 }, { env })
      await driver.run('track', { event: { ...event, userId: `u${index}` } })
      if (end === 'SIGTERM') driver.kill(end)
      else driver.leave(end)
      t.equal(await driver.ended, status, end)
    }
    await world.stores(3)
  },

  'a process ends although svc does not answer': async (world) => {
    const { t, sdk, proxy, event, options } = world
    proxy.next('hang')
    await Promise.all(
      (['end', 'exit', 'SIGTERM'] as const).map(async (end) => {
        const driver = await sdk.start({ ...options, flushAt: 1, timeoutMs: 60_000 })
        await driver.run('track', { event: { ...event, userId: end } })
        const before = Date.now()
        if (end === 'SIGTERM') driver.kill(end)
        else driver.leave(end)
        await driver.ended
        // Twice the time of close, for a machine that does other work; a request may take a minute.
        t.ok(Date.now() - before < 30_000, `${end}: ${Date.now() - before} ms`)
      }),
    )
  },

  'alias links in order, and a contradiction goes to onError': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const driver = await sdk.start({ ...options, flushIntervalMs: 86_400_000 })
    const anonymousId = `visitor-${event.event}`
    await driver.run('track', { event: { ...event, anonymousId } })
    t.equal(await driver.run('alias', { link: { anonymousId, userId: 'ada' } }), true)
    await driver.run('track', { event: { ...event, userId: 'ada' } })
    await driver.run('alias', { link: { anonymousId, userId: 'bob' } })
    t.equal(await driver.run('flush', {}), true)
    t.same(
      proxy.seen.map(({ path }) => path),
      ['/v1/events', '/v1/alias', '/v1/events', '/v1/alias'],
    )
    t.match(await failuresOf(driver), [{ code: 'ALIAS_CONFLICT', status: 409, events: [{ userId: 'bob' }] }])
    await counts(world, driver, { tracked: 2, accepted: 2, refused: 0 })
    await world.stores(2, 1)
  },

  'warnings are for development, and summed up by code, event and field': async (world) => {
    const { t, sdk, proxy, event, options } = world
    const wrong = { ...event, userId: 'undefined', timestamp: '2020-01-01T00:00:00Z' }
    const trackTwice = async (driver: Driver): Promise<void> => {
      for (let n = 0; n < 2; n++) await driver.run('track', { event: wrong })
      t.equal(await driver.run('flush', {}), true)
    }
    const late = { ...options, flushIntervalMs: 86_400_000 }
    const asking = await sdk.start({ ...late, warnings: true, warningsTo: 'list' })
    await trackTwice(asking)
    const seen = await asking.run<{ code: string; message: string }[]>('warnings')
    t.match(
      seen.sort((a, b) => (a.code < b.code ? -1 : 1)),
      [
        { code: 'CLAMPED_PAST', event: event.event, field: 'timestamp', count: 2 },
        { code: 'PLACEHOLDER_ID', event: event.event, field: 'userId', count: 2 },
      ],
    )
    t.match(seen[1]?.message, /^is the placeholder "undefined"/)
    const failing = await sdk.start({ ...late, warnings: true, warningsTo: 'error' })
    await trackTwice(failing)
    await counts(world, failing, { tracked: 2, accepted: 2 })
    const plain = await sdk.start(late)
    await trackTwice(plain)
    const env = { NODE_ENV: 'development', PYTHONDEVMODE: '1' }
    const developing = await sdk.start(late, { env })
    await trackTwice(developing)
    await trackTwice(developing)
    t.equal(await developing.run('close', {}), true)
    developing.leave('end')
    await developing.ended
    const lines = developing
      .errors()
      .split('\n')
      .filter((line) => line.startsWith('svc-events: warning: '))
    t.equal(lines.length, 2, 'each kind is written once')
    const written = `svc-events: warning: userId of ${event.event} is the placeholder "undefined", which makes no link (PLACEHOLDER_ID)`
    t.ok(lines.includes(written))
    t.equal(plain.errors(), '')
    t.same(
      proxy.seen.map(({ path }) => path.slice('/v1/events'.length)),
      ['?warnings=true', '?warnings=true', '', '?warnings=true', '?warnings=true'],
    )
  },

  'children of a process send their own events, and no others': async (world) => {
    const { t, sdk, event, options } = world
    const env = { SVC_INGEST_URL: String(options.url), SVC_SERVER_KEY: String(options.key) }
    const driver = await sdk.start({ flushIntervalMs: 86_400_000 }, { env })
    t.equal(await driver.run('children', { event }), true)
    await counts(world, driver, { tracked: 1, accepted: 1 })
    await world.stores(3)
  },

  'a durable event outlives its process': async (world) => {
    const { t, sdk, proxy, event, options, folder } = world
    const spooled = { ...options, spool: join(folder, 'spool') }
    proxy.next({ status: 503, body: '' })
    const first = await sdk.start(spooled)
    t.equal(await first.run('durablyMany', { event, from: 0, count: 700 }), 700)
    const second = await sdk.start(spooled)
    t.equal(await second.run('trackDurably', { event: { ...event, userId: 'second' } }), false)
    t.match(await failuresOf(second), [{ code: 'SPOOL_LOCKED' }])
    t.equal(await second.run('track', { event: { ...event, userId: 'memory' } }), true, 'memory is left')
    first.kill('SIGKILL')
    await first.ended
    // A kill within a write leaves a torn line.
    const last =
      readdirSync(spooled.spool)
        .filter((name) => name.endsWith('.ndjson'))
        .sort()
        .at(-1) ?? ''
    appendFileSync(join(spooled.spool, last), '{"insertId":"torn","event":"to')
    const confirmed = await until(
      () => second.run<boolean>('trackDurably', { event: { ...event, userId: 'taken-over' } }),
      (isDurable) => isDurable,
    )
    t.equal(confirmed, true, 'a dead process holds no lock')
    proxy.next('after', 'pass')
    t.equal(await second.run('flush', { ms: 60_000 }), true)
    await counts(world, second, { recovered: 700, tracked: 2, accepted: 702, queued: 0 })
    const times = proxy.seen.flatMap(({ body }) => body.events ?? [])
    t.equal(
      new Set(times.map(({ insertId, timestamp }) => `${insertId} ${timestamp}`)).size,
      702,
      'times are fixed',
    )
    t.equal(await second.run('close', {}), true)
    t.same(
      readdirSync(spooled.spool).filter((name) => name.endsWith('.ndjson')).length,
      1,
      'what is sent is removed',
    )
    const third = await sdk.start({ ...spooled, durable: true })
    t.equal(await third.run('track', { event: { ...event, userId: 'always' } }), true)
    t.equal(await third.run('alias', { link: { anonymousId: `v-${event.event}`, userId: 'always' } }), true)
    t.equal(await third.run('close', {}), true)
    t.equal(proxy.seen.at(-1)?.path, '/v1/alias')
    await counts(world, third, { recovered: 0, tracked: 1, accepted: 1 })
    await world.stores(703)
  },

  'a disk that is full is an error of the event': async (world) => {
    const { t, sdk, proxy, event, options, folder } = world
    proxy.next({ status: 503, body: '' })
    const driver = await sdk.start({ ...options, spool: folder }, { maxFileBytes: 16_384 })
    const text = 'x'.repeat(2_000)
    let confirmed = 0
    for (let n = 0; n < 8; n++)
      if (await driver.run('trackDurably', { event: { ...event, userId: `u${n}`, properties: { text } } }))
        confirmed++
    t.equal(confirmed, 7)
    t.match(named(await failuresOf(driver), 'SPOOL_FAILED'), [{ events: [] }])
    t.equal(
      await driver.run('trackDurably', { event: { ...event, userId: 'again' } }),
      true,
      'a later one fits',
    )
    const blocked = await sdk.start({ ...options, spool: fileIn(folder) })
    t.equal(await blocked.run('trackDurably', { event: { ...event, userId: 'u' } }), false)
    t.match(named(await failuresOf(blocked), 'SPOOL_FAILED'), [{ events: [] }])
    proxy.next('pass')
    t.equal(await driver.run('close', { ms: 30_000 }), true)
    await world.stores(8)
  },
}

/** A file, where a folder is wanted. */
function fileIn(folder: string): string {
  const path = join(folder, 'file')
  writeFileSync(path, '')
  return path
}

/** Runs every scenario for a library, against one service. */
export async function testScenarios(t: Test, sdk: Sdk, service: Deployment): Promise<void> {
  for (const [index, [name, scenario]] of Object.entries(SCENARIOS).entries())
    await t.test(name, { timeout: 600_000 }, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      const proxy = await startFaultyProxy(t, () => service.ingest)
      const event = { event: `scenario_${index}_${sdk.language}` }
      const options = { url: proxy.url, key: service.keys.serverKey, flushIntervalMs: 20 }
      const stores = async (count: number, users = count): Promise<void> => {
        await service.settled()
        const stored = await until(
          () => countOf(service.api, service.keys.apiKey, event.event),
          (found) => found >= count,
        )
        t.equal(stored, count, 'each is stored once')
        const steps = [{ eventName: event.event }, { eventName: 'never' }]
        const { body } = await call(service.keys.apiKey, 'POST', `${service.api}/v1/funnel/query`, { steps })
        t.match(body, { entered: users }, 'of as many users')
      }
      await scenario({ t, sdk, service, proxy, event, options, folder, stores })
    })
}
