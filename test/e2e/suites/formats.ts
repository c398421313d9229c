import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import type { Deployment } from '../../support/deployment.js'
import { call, until } from '../../support/service.js'

interface StoredEvent {
  readonly event: string
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly personId: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly originalTimestamp: string | null
  readonly timestampAdjustment: string
  readonly insertId: string | null
  readonly sdkVersion: string | null
}

interface Case {
  readonly path: string
  readonly body: object
  /** The rows of the body, in any order, by their insertId. */
  readonly rows: Readonly<Record<string, Partial<StoredEvent>>>
}

const AT = '2026-11-26T10:00:00.000Z'
const LIBRARY = { library: { name: 'analytics-node', version: '3.0.0' } }
const NO_IDS = { userId: null, anonymousId: null }

const SEGMENT: Readonly<Record<string, Case>> = {
  'a batch of every call': {
    path: '/v1/batch',
    body: {
      batch: [
        {
          type: 'track',
          event: 'Order  Completed (web)',
          userId: 'ada',
          anonymousId: null,
          messageId: 's1',
          timestamp: AT,
          properties: { total: 49 },
          context: LIBRARY,
          integrations: {},
        },
        { type: 'identify', userId: 42, anonymousId: 'visit 42', messageId: 's2', traits: { plan: 'pro' } },
        { type: 'page', anonymousId: 'visit 1', userId: '', messageId: 's3', name: 'Home', category: 'Site' },
        { type: 'screen', userId: 'ada', messageId: 's4', name: 'Cart', properties: { items: 2 } },
        { type: 'group', userId: 'ada', messageId: 's5', groupId: 'acme', traits: { seats: 9 } },
        { type: 'track', event: 'a.b-c_$D', userId: 'ada', messageId: 's6', originalTimestamp: AT },
      ],
      context: { ip: '10.0.0.1' },
    },
    rows: {
      s1: {
        ...NO_IDS,
        event: 'Order_Completed_web_',
        userId: 'ada',
        properties: { total: 49, $name: 'Order  Completed (web)', $context: LIBRARY },
        originalTimestamp: AT,
        sdkVersion: 'analytics-node/3.0.0',
      },
      s2: {
        event: '$identify',
        userId: '42',
        anonymousId: 'visit 42',
        properties: { plan: 'pro', $context: { ip: '10.0.0.1' } },
        originalTimestamp: null,
        sdkVersion: null,
      },
      s3: {
        ...NO_IDS,
        event: '$page',
        anonymousId: 'visit 1',
        properties: { name: 'Home', category: 'Site', $context: { ip: '10.0.0.1' } },
      },
      s4: { event: '$screen', properties: { items: 2, name: 'Cart', $context: { ip: '10.0.0.1' } } },
      s5: { event: '$group', properties: { seats: 9, groupId: 'acme', $context: { ip: '10.0.0.1' } } },
      s6: { event: 'a.b-c_$D', properties: { $context: { ip: '10.0.0.1' } }, originalTimestamp: AT },
    },
  },
  'one call each': {
    path: '/v1/track',
    body: { event: 'kauf \u{1f600}', userId: 'ada', messageId: 's7', timestamp: '2026-11-26 11:00:00+0100' },
    rows: { s7: { event: 'kauf_', properties: { $name: 'kauf \u{1f600}' }, originalTimestamp: AT } },
  },
  'identify of itself': {
    path: '/v1/identify',
    body: { type: 'track', anonymousId: 'visit 1', messageId: 's8', traits: { name: 'Ada' } },
    rows: { s8: { ...NO_IDS, event: '$identify', anonymousId: 'visit 1', properties: { name: 'Ada' } } },
  },
}

const POSTHOG: Readonly<Record<string, Case>> = {
  'a batch': {
    path: '/batch/',
    body: {
      batch: [
        {
          event: 'order completed',
          distinct_id: 'ada',
          uuid: 'p1',
          timestamp: '2026-11-26T10:00:00.000123+00:00',
          properties: { total: 49, $lib: 'posthog-node', $lib_version: '5.1.0' },
        },
        { event: 'seen', distinct_id: 'visit 9', uuid: 'p2', properties: { $is_identified: false } },
        { event: 'seen', distinct_id: 'visit 8', uuid: 'p3', properties: { $process_person_profile: false } },
        {
          event: '$groupidentify',
          distinct_id: '$company_acme',
          uuid: 'p4',
          properties: { $group_key: 'acme' },
        },
        { event: '$identify', distinct_id: 'bo', uuid: 'p5', properties: { $anon_distinct_id: 'visit 9' } },
        { event: '$create_alias', distinct_id: 'bo', uuid: 'p6', properties: { alias: 'visit 8' } },
        { event: '$set', distinct_id: 'bo', uuid: 'p7', $set: { plan: 'pro' } },
      ],
      sent_at: AT,
    },
    rows: {
      p1: {
        ...NO_IDS,
        event: 'order_completed',
        userId: 'ada',
        properties: { total: 49, $lib: 'posthog-node', $lib_version: '5.1.0', $name: 'order completed' },
        originalTimestamp: AT,
        sdkVersion: 'posthog-node/5.1.0',
      },
      p2: { ...NO_IDS, event: 'seen', anonymousId: 'visit 9', personId: 'user:bo' },
      p3: { ...NO_IDS, event: 'seen', anonymousId: 'visit 8', personId: 'user:bo' },
      p4: { ...NO_IDS, event: '$groupidentify', anonymousId: '$company_acme' },
      p5: { event: '$identify', userId: 'bo', anonymousId: 'visit 9' },
      p6: { event: '$create_alias', userId: 'bo', anonymousId: 'visit 8' },
      p7: { ...NO_IDS, event: '$set', userId: 'bo', properties: { $set: { plan: 'pro' } } },
    },
  },
  'one event': {
    path: '/capture/',
    body: { event: 'seen', distinct_id: 'ada', uuid: 'p8', properties: { api_key: 'not "this", \\' } },
    rows: { p8: { event: 'seen', userId: 'ada', properties: { api_key: 'not "this", \\' } } },
  },
  'one event by the newer path': {
    path: '/i/v0/e/',
    body: { event: 'seen', properties: { distinct_id: 'ada' }, uuid: 'p9' },
    rows: { p9: { event: 'seen', userId: 'ada', properties: { distinct_id: 'ada' } } },
  },
}

/** The key as Segment's and PostHog's clients send it, in a body as theirs. */
async function send(service: Deployment, path: string, body: object, key = service.keys.serverKey) {
  const isSegment = path.startsWith('/v1/')
  const text = JSON.stringify(isSegment ? body : { ...body, api_key: key })
  const answer = await fetch(service.ingest + path, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-encoding': 'gzip',
      'content-type': 'application/x-www-form-urlencoded',
      ...(isSegment ? { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` } : {}),
    },
    body: new Uint8Array(gzipSync(text)),
  })
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
}

async function storedRows({ api, keys }: Deployment): Promise<ReadonlyMap<string, StoredEvent>> {
  const { body } = await call<{ data: StoredEvent[] }>(keys.apiKey, 'GET', `${api}/v1/events?limit=100`)
  return new Map(body.data.map((row) => [row.insertId ?? '', row]))
}

/** Events from clients of Segment and PostHog are stored as ours, each once, within the same limits. */
export async function testFormats(t: Test, service: Deployment): Promise<void> {
  const before = await service.settled()
  const cases = Object.entries({ ...SEGMENT, ...POSTHOG })
  for (const round of ['first', 'again'])
    for (const [name, { path, body }] of cases) {
      const success = path.startsWith('/v1/') ? { success: true } : { status: 'Ok' }
      t.same(await send(service, path, body), { status: 200, json: success }, `${name}, ${round}`)
    }
  const expected = cases.flatMap(([, { rows }]) => Object.entries(rows))
  const settled = await service.settled()
  t.equal(settled.stored - before.stored, expected.length, 'each once')
  t.equal(settled.duplicates - before.duplicates, expected.length)
  const linked = (rows: ReadonlyMap<string, StoredEvent>): boolean =>
    rows.get('p2')?.personId === 'user:bo' && rows.get('p3')?.personId === 'user:bo'
  const stored = await until(() => storedRows(service), linked)
  for (const [id, row] of expected) {
    t.match(stored.get(id), row, id)
    if (row.properties !== undefined) t.same(stored.get(id)?.properties, row.properties)
  }
  t.equal(stored.get('p1')?.timestampAdjustment === 'none', false, 'sent_at corrects an old clock')

  await testRefusals(t, service)
  await testLinks(t, service)
}

async function testRefusals(t: Test, service: Deployment): Promise<void> {
  const good = { type: 'track', event: 'good', userId: 'ada' }
  const before = await service.settled()
  const some = await send(service, '/v1/batch', {
    batch: [
      good,
      { type: 'track', event: 'no ids', messageId: 'r1' },
      { type: 'track', event: '', userId: 'ada' },
      { ...good, timestamp: 'yesterday' },
      { ...good, messageId: 'x'.repeat(201) },
      { type: 'identify', userId: 'ada', traits: [] },
      { type: 'alias', previousId: 'undefined', userId: 'ada' },
      { type: 'other', userId: 'ada' },
      7,
      { ...good, properties: { p: 'x'.repeat(9_000) } },
    ],
  })
  t.equal(some.status, 200)
  t.equal(some.json.success, true)
  t.same(
    (some.json.refused as { path: string }[]).map(({ path }) => path),
    [
      '/batch/1/userId',
      '/batch/2/event',
      '/batch/3/timestamp',
      '/batch/4/messageId',
      '/batch/5/traits',
      '/batch/6/previousId',
      '/batch/7/type',
      '/batch/8',
      '/batch/9/properties',
    ],
  )
  t.match(await send(service, '/batch/', { batch: [{ event: 'e', distinct_id: 'a', uuid: 7.5 }, {}] }), {
    status: 400,
    json: { code: 'VALIDATION_FAILED', field: 'batch[0].uuid', details: [{ path: '/batch/0/uuid' }, {}, {}] },
  })
  t.match(await send(service, '/v1/track', {}), { status: 400, json: { field: 'event' } })
  t.match(await send(service, '/v1/batch', {}), { status: 400, json: { field: 'batch' } })
  t.match(await send(service, '/v1/batch', { batch: [] }), { status: 400, json: { field: 'batch' } })
  t.match(await send(service, '/v1/batch', { batch: Array(501).fill(good) }), { status: 413 })
  t.match(await send(service, '/v1/track', good, 'tsk_secret_wrong'), { status: 401 })
  t.match(await send(service, '/batch/', good, service.keys.publishableKey), { status: 401 })
  const keyless = await fetch(`${service.ingest}/capture/`, { method: 'POST', body: '{"event":"e"}' })
  t.match(await keyless.json(), { code: 'UNAUTHENTICATED', field: 'api_key' })
  t.match(await fetch(`${service.ingest}/v1/track`, { method: 'POST', body: '{}' }), { status: 401 })
  t.match(await fetch(`${service.ingest}/v1/track`), { status: 405 })
  const own = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/alias`, {
    previousId: 'a',
    userId: 'u',
  })
  t.match(own, { status: 400, body: { field: 'anonymousId' } }, 'with Bearer it is our own alias')
  t.equal((await service.settled()).stored - before.stored, 1, 'only the good one')

  const large = Array.from({ length: 200 }, () => ({ ...good, properties: { p: 'x'.repeat(4_000) } }))
  t.same(await send(service, '/v1/batch', { batch: large }), { status: 200, json: { success: true } })
  const withBad = await send(service, '/v1/batch', { batch: [...large, { type: 'track' }] })
  t.match(withBad, { status: 200, json: { refused: [{ path: '/batch/200/event' }, {}] } })
  t.equal((await service.settled()).stored - before.stored, 401, 'large bodies too')
}

async function testLinks(t: Test, service: Deployment): Promise<void> {
  const seen = { event: 'seen', anonymousId: 'visit 5', insertId: 'l1' }
  await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events: [seen] })
  const alias = { previousId: 'visit 5', userId: 'cy' }
  t.same(await send(service, '/v1/alias', alias), { status: 200, json: { success: true } })
  t.same(await send(service, '/v1/alias', alias), { status: 200, json: { success: true } }, 'again')
  const contradiction = [
    { type: 'alias', previousId: 'visit 5', userId: 'di' },
    { type: 'identify', anonymousId: 'visit 5', userId: 'di', messageId: 'l2' },
  ]
  t.same(await send(service, '/v1/batch', { batch: contradiction }), { status: 200, json: { success: true } })
  await service.settled()
  const rows = await until(
    () => storedRows(service),
    (found) => found.get('l1')?.personId === 'user:cy' && found.has('l2'),
  )
  t.equal(rows.get('l1')?.personId, 'user:cy', 'the first link holds')
}
