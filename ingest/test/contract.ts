import { Agent, request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { EXPOSURES_SCOPE } from '../../domain/key.js'
import { readHeader, readPairs } from '../../log/record.js'
import { readIngestProblems } from '../../postgres/tables/ingest-problems.js'
import { createKey } from '../../postgres/tables/keys.js'
import { readRefusedLinks } from '../../postgres/tables/refused-links.js'
import { newId, setQuota } from '../../postgres/tables/workspaces.js'
import { LONG } from '../../test/support/cases.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { makeGateway, makeWorkspace, metric, startStores, type TestWorkspace } from './support/gateway.js'

/**
 * Both sides of every limit as a client sees them: status, code, `field`, and whether anything was recorded.
 */
const stores = await startStores()
t.teardown(() => stores.stop())
const workspace = await makeWorkspace(stores)
const gateway = await makeGateway(stores)
t.teardown(() => gateway.stop())
await stores.sql`insert into logs (id, partitions, identity_partitions)
  values (${gateway.log.id}, ${gateway.log.partitions}, ${gateway.log.identityPartitions})`

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes, without garbage. */
function heapInUse(): number {
  collect()
  return process.memoryUsage().heapUsed
}

async function post(path: string, body: string, sender: TestWorkspace = workspace) {
  const before = gateway.appended.length
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${sender.serverKey}`, 'content-type': 'application/json' },
    body,
  })
  const rows = gateway.appended
    .slice(before)
    .filter((record) => record.partition < gateway.log.partitions)
    .reduce((sum, record) => sum + readHeader(record.payload).count, 0)
  return {
    status: answer.status,
    headers: answer.headers,
    json: (await answer.json()) as Record<string, unknown>,
    rows,
  }
}

const EMOJI = '\u{1f600}'
const event = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ events: [{ event: 'e', userId: 'u', ...fields }] })
/** Properties of this many bytes. */
const properties = (bytes: number): object => ({ p: 'x'.repeat(bytes - 8) })
const many = (count: number): string =>
  JSON.stringify({ events: Array.from({ length: count }, () => ({ event: 'e', userId: 'u' })) })

const deep = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

// Before any event with a link: no consumer reads the log here, so a later call would wait.
t.test('alias fields are accepted up to their limits and refused beyond them', async (t) => {
  const taken: readonly object[] = [
    { anonymousId: 'a'.repeat(255), userId: EMOJI.repeat(127) },
    { anonymousId: 'with others', userId: 'u', unknown: [1] },
  ]
  for (const body of taken) {
    const answer = await post('/v1/alias', JSON.stringify(body))
    t.equal(answer.status, 202)
    t.same(answer.json, { outcome: 'linked' })
  }
  const refused: readonly (readonly [field: string, body: unknown])[] = [
    ['anonymousId', { userId: 'u' }],
    ['userId', { anonymousId: 'a' }],
    ['anonymousId', { anonymousId: 'a'.repeat(256), userId: 'u' }],
    ['userId', { anonymousId: 'a', userId: 'u'.repeat(256) }],
    ['anonymousId', { anonymousId: '', userId: 'u' }],
    ['userId', { anonymousId: 'a', userId: null }],
    ['userId', { anonymousId: 'a', userId: 'u\0' }],
    ['anonymousId', { anonymousId: '\ud800', userId: 'u' }],
    ['anonymousId', { anonymousId: 'Undefined', userId: 'u' }],
    ['userId', { anonymousId: 'a', userId: '[object Object]' }],
    ['anonymousId', { anonymousId: '00000000-0000-0000-0000-000000000000', userId: 'NaN' }],
    ['anonymousId', {}],
    ['', []],
  ]
  for (const [field, body] of refused) {
    const answer = await post('/v1/alias', JSON.stringify(body))
    t.equal(answer.status, 400, JSON.stringify(body).slice(0, 60))
    t.equal(answer.json.code, 'VALIDATION_FAILED')
    t.equal(answer.json.field, field, JSON.stringify(body).slice(0, 60))
  }
  t.match(await post('/v1/alias', '{'), { status: 400, json: { code: 'MALFORMED_JSON', field: '' } })
})

t.test('alias calls count as requests of the key', async (t) => {
  const limited = await makeWorkspace(stores)
  await setQuota(stores.sql, { workspaceId: limited.id, requestsPerSecond: 1 })
  const body = JSON.stringify({ anonymousId: 'a', userId: 'u' })
  t.equal((await post('/v1/alias', body, limited)).status, 202)
  t.equal((await post('/v1/events', event({}), limited)).status, 202)
  const refused = await post('/v1/alias', body, limited)
  t.equal(refused.status, 429)
  t.equal(refused.json.code, 'RATE_LIMITED')
  t.match(refused.headers.get('retry-after'), /^[1-9]\d*$/)
  t.equal(refused.headers.get('ratelimit-limit'), '1')
  t.equal(refused.headers.get('ratelimit-remaining'), '0')
  t.match(refused.headers.get('ratelimit-reset'), /^[1-9]\d*$/)
})

t.test('events up to each limit are accepted', async (t) => {
  const bodies: Readonly<Record<string, string>> = {
    'an event name of 500': event({ event: 'x'.repeat(500) }),
    'every character of an event name': event({
      event: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-$',
    }),
    'a userId of 255': event({ userId: 'x'.repeat(255) }),
    'a userId of 254 in pairs': event({ userId: EMOJI.repeat(127) }),
    'an anonymousId of 255': event({ anonymousId: 'é'.repeat(255) }),
    'an anonymousId alone': JSON.stringify({ events: [{ event: 'e', anonymousId: 'a' }] }),
    'an insertId of 200': event({ insertId: '漢'.repeat(200) }),
    'an sdkVersion of 200': event({ sdkVersion: 'x'.repeat(200) }),
    'an empty sdkVersion': event({ sdkVersion: '' }),
    'properties 64 levels deep': event({ properties: deep(64) }),
    'a time past the year 9999 once its zone is applied': event({
      timestamp: '9999-12-31T23:59:59.9999999-05:00',
    }),
    'a time before the year 0 once its zone is applied': event({ timestamp: '0000-01-01T00:00:00+05:00' }),
    'a sentAt past the year 9999': JSON.stringify({
      events: [{ event: 'e', userId: 'u', timestamp: '2026-03-01T12:00:00Z' }],
      sentAt: '9999-12-31T23:59:59-00:01',
    }),
    'properties of 8,192 bytes': event({ properties: properties(8_192) }),
    'properties of 8,192 bytes after white space goes': event({ properties: properties(8_192) }).replace(
      '{"p":',
      '{   "p"   :   ',
    ),
    'properties of 8,192 bytes that were longer as numbers': event({ properties: properties(8_186) }).replace(
      '{"p":"x',
      '{"p":"x", "n":1.000000000, "p": "x',
    ),
    '500 events': many(500),
    'every optional field null': event({
      anonymousId: null,
      properties: null,
      timestamp: null,
      insertId: null,
      sdkVersion: null,
    }),
    'unknown fields': JSON.stringify({
      events: [{ event: 'e', userId: 'u', color: { deep: [1] } }],
      batchId: 7,
      sentAt: null,
    }),
    'the last of equal keys': '{"events":[],"events":[{"event":"no spaces","event":"e","userId":"u"}]}',
    'a time with a zone and nanoseconds': event({ timestamp: '2026-02-28T23:59:59.999999999+14:00' }),
    'a leap day': event({ timestamp: '2024-02-29T00:00:00Z' }),
    'a time a thousand years ago': event({ timestamp: '1026-01-01T00:00:00Z' }),
    'a sentAt of another century': JSON.stringify({
      sentAt: '1926-01-01T00:00:00Z',
      events: [{ event: 'e', userId: 'u' }],
    }),
  }
  for (const [name, body] of Object.entries(bodies)) {
    const answer = await post('/v1/events', body)
    t.equal(answer.status, 202, `${name}: ${answer.json.message}`)
    t.equal(answer.rows, answer.json.accepted, name)
  }
})

t.test('events just past each limit are refused by field, and nothing is recorded', async (t) => {
  const bodies: readonly (readonly [field: string, body: string])[] = [
    ['events[0].event', event({ event: 'x'.repeat(501) })],
    ['events[0].event', event({ event: '' })],
    ['events[0].event', event({ event: null })],
    ['events[0].event', event({ event: 'a b' })],
    ['events[0].event', event({ event: 'ä' })],
    ['events[0].event', event({ event: 'a\n' })],
    ['events[0].userId', event({ userId: 'x'.repeat(256) })],
    ['events[0].userId', event({ userId: EMOJI.repeat(128) })],
    ['events[0].userId', event({ userId: '' })],
    ['events[0].userId', event({ userId: 'a\0' })],
    ['events[0].userId', event({ userId: '\ud800' })],
    ['events[0].userId', event({ userId: 5 })],
    ['events[0].userId', JSON.stringify({ events: [{ event: 'e' }] })],
    ['events[0].anonymousId', event({ anonymousId: 'x'.repeat(256) })],
    ['events[0].anonymousId', event({ anonymousId: '' })],
    ['events[0].insertId', event({ insertId: 'x'.repeat(201) })],
    ['events[0].insertId', event({ insertId: '' })],
    ['events[0].insertId', event({ insertId: '\udc00' })],
    ['events[0].sdkVersion', event({ sdkVersion: 'x'.repeat(201) })],
    ['events[0].sdkVersion', event({ sdkVersion: 1 })],
    ['events[0].properties', event({ properties: properties(8_193) })],
    ['events[0].properties', event({ properties: { p: 'é'.repeat(4_093) } })],
    ['events[0].properties', event({ properties: deep(65) })],
    ['events[0].properties', event({ properties: deep(1_000) })],
    ['events[0].properties', event({ properties: [] })],
    ['events[0].properties', event({ properties: '{}' })],
    ['events[0].properties', event({ properties: { n: 0 } }).replace(':0}', ':1e999}')],
    ['events[0].timestamp', event({ timestamp: '2026-03-01T12:00:00' })],
    ['events[0].timestamp', event({ timestamp: '2026-02-29T12:00:00Z' })],
    ['events[0].timestamp', event({ timestamp: 1_767_225_600_000 })],
    ['sentAt', JSON.stringify({ events: [{ event: 'e', userId: 'u' }], sentAt: 'now' })],
    ['sentAt', JSON.stringify({ events: [{ event: 'e', userId: 'u' }], sentAt: 1 })],
    ['events', many(501)],
    ['events', '{"events":[]}'],
    ['events', '{"events":{}}'],
    ['events', '{}'],
    ['events[0]', '{"events":[7]}'],
    ['events[1].event', JSON.stringify({ events: [{ event: 'e', userId: 'u' }, { userId: 'u' }] })],
    ['', '[]'],
    ['', 'null'],
    ['', '"events"'],
  ]
  for (const [field, body] of bodies) {
    const answer = await post('/v1/events', body)
    const name = `${field}: ${body.slice(0, 80)}`
    t.equal(answer.status, 400, name)
    t.equal(answer.json.code, 'VALIDATION_FAILED', name)
    t.equal(answer.json.field, field, name)
    t.equal(answer.json.requestId, answer.headers.get('x-request-id'))
    t.equal(answer.rows, 0)
  }
})

t.test('a placeholder id makes no link, and its event is stored', async (t) => {
  const links = (): number =>
    gateway.appended
      .filter((record) => record.partition >= gateway.log.partitions)
      .reduce((sum, record) => sum + readPairs(record.payload).pairs.length, 0)
  const before = links()
  for (const [anonymousId, userId] of [
    ['visitor', 'null'],
    ['visitor', 'NaN'],
    ['visitor', '0'],
    ['[object Object]', 'user'],
    ['00000000-0000-0000-0000-000000000000', 'user'],
  ])
    t.match(await post('/v1/events', event({ anonymousId, userId })), { status: 202, rows: 1 })
  t.equal(links(), before)
  const escaped = event({ anonymousId: 'visitor', userId: 'null' }).replace('"null"', '"\\u006eull"')
  t.match(await post('/v1/events', escaped), { status: 202, rows: 1 })
  t.equal(links(), before)
  const both = [
    { event: 'e', anonymousId: 'visitor', userId: 'undefined' },
    { event: 'e', anonymousId: 'visitor', userId: 'user' },
  ]
  t.match(await post('/v1/events', JSON.stringify({ events: both })), { status: 202, rows: 2 })
  t.equal(links(), before + 1, 'the good pair of the same visitor links')
  t.equal(await metric(gateway, 'svc_ingest_placeholder_ids_total'), 7)
  const counted = async () => (await readRefusedLinks(stores.sql, workspace.id)).placeholder
  await waitUntil(async () => (await counted()) >= 7)
  t.equal(await counted(), 7)
})

t.test('a body that would block other requests is not parsed', async (t) => {
  const deep = `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`
  for (const [path, body] of [
    ['/v1/events', `{"events":[{"event":"e","userId":"u","x":${deep}}]}`],
    ['/v1/alias', `{"anonymousId":"a","userId":"u","x":${deep}}`],
  ] as const)
    t.match(await post(path, body), {
      status: 413,
      json: { code: 'PAYLOAD_TOO_LARGE', message: /more than 1000000 objects, arrays and keys/ },
      rows: 0,
    })
  const ignored = `{"events":[{"event":"e","userId":"u","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`
  t.match(await post('/v1/events', ignored), { status: 202, rows: 1 })
})

t.test('alias refuses malformed requests as events does', async (t) => {
  const body = JSON.stringify({ anonymousId: 'x', userId: 'u' })
  const send = async (headers: Record<string, string>, method = 'POST') => {
    const answer = await fetch(`${gateway.url}/v1/alias`, {
      method,
      headers: {
        authorization: `Bearer ${workspace.serverKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(method === 'POST' ? { body } : {}),
    })
    return { status: answer.status, code: ((await answer.json()) as { code: string }).code, answer }
  }
  t.match(await send({ authorization: '' }), { status: 401, code: 'UNAUTHENTICATED' })
  t.match(await send({ authorization: `Bearer ${workspace.apiKey}` }), { status: 401 })
  t.match(await send({ origin: 'https://a.example' }), { status: 403, code: 'SECRET_KEY_IN_BROWSER' })
  t.match(await send({ 'content-type': 'text/csv' }), { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  t.match(await send({ 'content-encoding': 'gzip' }), { status: 400, code: 'MALFORMED_JSON' })
  const wrong = await send({}, 'GET')
  t.match(wrong, { status: 405, code: 'METHOD_NOT_ALLOWED' })
  t.equal(wrong.answer.headers.get('allow'), 'POST')
})

t.test('three gateways together keep the limit of a key within a tenth', async (t) => {
  const limited = await makeWorkspace(stores)
  await setQuota(stores.sql, { workspaceId: limited.id, requestsPerSecond: 60 })
  const others = [await makeGateway(stores), await makeGateway(stores)]
  t.teardown(() => Promise.all(others.map((other) => other.stop())))
  const urls = [gateway, ...others].map((one) => one.url)
  const started = performance.now()
  const taken = await Promise.all(
    urls.flatMap((url, i) =>
      // One gateway gets three times the requests of another: shares differ, the sum stays.
      Array.from({ length: 1 + i }, async () => {
        let accepted = 0
        let asked = 0
        while (performance.now() - started < (LONG ? 3_500 : 2_000)) {
          const answer = await fetch(`${url}/v1/events`, {
            method: 'POST',
            headers: { authorization: `Bearer ${limited.serverKey}`, 'content-type': 'application/json' },
            body: event({}),
          })
          await answer.arrayBuffer()
          asked++
          if (answer.status === 202) accepted++
          else if (answer.status !== 429) throw new Error(`status ${answer.status}`)
        }
        return { accepted, asked }
      }),
    ),
  )
  const total = taken.reduce((sum, { accepted }) => sum + accepted, 0)
  const asked = taken.reduce((sum, one) => sum + one.asked, 0)
  const allowed = 60 * ((performance.now() - started) / 1_000 + 2)
  // A busy machine may send fewer.
  t.ok(total > 0.8 * Math.min(asked, 120) && total < allowed * 1.1, `${total} of ${Math.round(allowed)}`)
})

t.test('warnings are in the answer only on request', async (t) => {
  const hour = 3_600_000
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
  const body = `{"sentby":"me","sentAt":null,"events":[
    {"event":"e","userId":"undefined","anonymousId":"NULL","extra/~":{"deep":1}},
    {"event":"e","userId":"u","timestamp":"${at(-8 * 24 * hour)}"},
    {"event":"e","userId":"u","timestamp":"${at(2 * hour)}","properties":{
      "exact":[9007199254740992,0.1,1.50e3,-0,123456789012345000000000,0.30000000000000004,"9007199254740993"],
      "a/b":{"n":[9007199254740993,-0.12345678901234567891]},"tiny":1e-400,"9007199254740993":1}}]}`
  const plain = await post('/v1/events', body)
  t.same(Object.keys(plain.json), ['accepted', 'requestId'])
  const warned = await post('/v1/events?x=1&warnings=true', body)
  t.equal(warned.status, 202)
  t.equal(warned.rows, 3)
  t.same(Object.keys(warned.json), ['accepted', 'requestId', 'warnings'])
  const warnings = warned.json.warnings as { path: string; code: string; message: string }[]
  t.same(
    warnings.map(({ path, code }) => `${code} ${path}`),
    [
      'UNKNOWN_FIELD /sentby',
      'UNKNOWN_FIELD /events/0/extra~1~0',
      'PLACEHOLDER_ID /events/0/userId',
      'PLACEHOLDER_ID /events/0/anonymousId',
      'CLAMPED_PAST /events/1/timestamp',
      'CLAMPED_FUTURE /events/2/timestamp',
      'NUMBER_ROUNDED /events/2/properties/a~1b/n/0',
      'NUMBER_ROUNDED /events/2/properties/a~1b/n/1',
      'NUMBER_ROUNDED /events/2/properties/tiny',
    ],
  )
  t.match(warnings[6]?.message, '9007199254740993 to 9007199254740992')
  t.same((await post('/v1/events?warnings=true', event({}))).json.warnings, [])
  for (const other of ['warnings=false', 'warnings', 'nowarnings=true', 'warnings=trueish'])
    t.notOk('warnings' in (await post(`/v1/events?${other}`, body)).json, other)
  const many = {
    events: Array(400).fill({ event: 'e', userId: 'null', properties: { p: 'x'.repeat(3_000) } }),
  }
  const large = await post('/v1/events?warnings=true', JSON.stringify(many))
  t.equal(large.rows, 400)
  t.equal((large.json.warnings as unknown[]).length, 20)
  t.match(await post('/v1/events?warnings=true', '{"events":[]}'), { status: 400, json: { field: 'events' } })
})

t.test("other products' formats have our limits, and refused messages are counted", async (t) => {
  const good = { type: 'track', event: 'e', userId: 'u' }
  const some = await post('/v1/batch', JSON.stringify({ batch: [good, {}, { ...good, type: 'alias' }] }))
  t.match(some, { status: 200, rows: 1, json: { success: true, refused: [{ path: '/batch/1/type' }, {}] } })
  t.equal(await metric(gateway, 'svc_ingest_refused_beside_total'), 2)
  t.equal(await metric(gateway, 'svc_ingest_requests_total', { route: 'segment', status: '200' }), 1)

  const limited = await makeWorkspace(stores)
  await setQuota(stores.sql, { workspaceId: limited.id, dailyEvents: 1 })
  t.match(await post('/v1/track', JSON.stringify(good), limited), { status: 200, rows: 1 })
  const keyed = JSON.stringify({ event: 'e', distinct_id: 'u', api_key: limited.serverKey })
  t.match(await post('/capture/', keyed, limited), {
    status: 429,
    json: { code: 'DAILY_CAP_REACHED' },
    rows: 0,
  })

  const exposures = await createKey(stores.sql, stores.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'server',
    name: 'exposures',
    scopes: [EXPOSURES_SCOPE],
    now: new Date(),
  })
  const denied = await post('/v1/track', JSON.stringify(good), { ...workspace, serverKey: exposures.key })
  t.match(denied, { status: 403, json: { code: 'MISSING_PERMISSION' }, rows: 0 })

  const deep = `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`
  t.match(await post('/v1/track', `{"event":"e","userId":"u","x":${deep}}`), { status: 413, rows: 0 })
  const large = `{"api_key":"${workspace.serverKey}","x":"${'x'.repeat(8 * 1024 * 1024)}"}`
  t.match(await post('/batch/', large), { status: 413, rows: 0 })
  for (const body of ['', '{', '[]', '7'])
    t.match(await post('/batch/', body), { status: 401, json: { field: 'api_key' }, rows: 0 })
})

/** The noted refusals or warnings of a workspace, once there are so many. */
async function problemsOf({ id }: TestWorkspace, outcome: 'refused' | 'warned', count: number) {
  const read = () => readIngestProblems(stores.sql, id, { outcome, limit: 100, offset: 0 })
  await waitUntil(async () => (await read()).total >= count)
  return (await read()).rows
}

t.test('the owner of a key sees why its requests were refused', async (t) => {
  const owner = await makeWorkspace(stores)
  const broken = {
    events: [
      { event: 'fine', userId: 'u-17' },
      { event: 'not fine', userId: 'u-17' },
    ],
  }
  const bodies: readonly (readonly [path: string, body: string])[] = [
    ['/v1/events', JSON.stringify(broken)],
    ['/v1/events', JSON.stringify({ events: [{ event: 'other', userId: 17 }] })],
    ['/v1/events', '{"events":[{"event":"a","userId":"u-17"'],
    ['/v1/events', `{"events":[{"event":"tsk_secret_${'x'.repeat(600)}","userId":"u-17"}]}`],
    ['/v1/events', JSON.stringify({ events: [{ event: 'e', userId: 'u', timestamp: '2026-02-30\0' }] })],
    ['/v1/alias', JSON.stringify({ anonymousId: 'null', userId: 'u-17' })],
    [
      '/v1/batch',
      JSON.stringify({ batch: [{ type: 'tracked' }, { type: 'track', event: 'e', userId: 'u' }] }),
    ],
    ['/v1/track', '[]'],
  ]
  for (const [path, body] of bodies) await post(path, body, owner)
  await post(
    '/v1/events',
    JSON.stringify({ events: [...Array(9).fill(broken.events[0]), broken.events[1]] }),
    owner,
  )
  const headers = { authorization: `Bearer ${owner.serverKey}` }
  for (const more of [{ 'content-type': 'text/csv' }, { origin: 'https://shop.example' }])
    await fetch(`${gateway.url}/v1/events`, { method: 'POST', headers: { ...headers, ...more }, body: '{}' })
  const seen = await problemsOf(owner, 'refused', 10)
  t.same(
    seen
      .map((row) => [row.status, row.code, row.field, row.eventName, row.value, row.times])
      .sort((a, b) => (String(a) < String(b) ? -1 : 1)),
    [
      [200, 'VALIDATION_FAILED', 'batch[0].type', null, '"tracked"', 1],
      [400, 'MALFORMED_JSON', '', null, null, 1],
      [400, 'VALIDATION_FAILED', '', null, 'an array of 0', 1],
      [400, 'VALIDATION_FAILED', 'anonymousId', null, 'a text of 4 characters', 1],
      [400, 'VALIDATION_FAILED', 'events[0].event', 'tsk_…', '"tsk_…"…', 1],
      [400, 'VALIDATION_FAILED', 'events[0].timestamp', 'e', '"2026-02-30"', 1],
      [400, 'VALIDATION_FAILED', 'events[0].userId', 'other', 'a number', 1],
      [400, 'VALIDATION_FAILED', 'events[9].event', 'not fine', '"not fine"', 2],
      [403, 'SECRET_KEY_IN_BROWSER', null, null, null, 1],
      [415, 'UNSUPPORTED_MEDIA_TYPE', null, null, null, 1],
    ],
  )
  t.notMatch(JSON.stringify(seen), /u-17|tsk_secret_/, 'no person and no key')
  t.ok(seen.every(({ keyId, keyName }) => keyId === owner.keyId && keyName === 'server'))
  t.equal((await problemsOf(workspace, 'refused', 0)).filter(({ keyId }) => keyId === owner.keyId).length, 0)
  const typed = seen.find(({ eventName }) => eventName === 'not fine')
  t.equal(typed?.message, 'events[9].event must contain only the characters A-Z a-z 0-9 _ . - $')
})

t.test('warnings are noted for the owner of the key, with the names of their events', async (t) => {
  const owner = await makeWorkspace(stores)
  const sent = `{"extra":1,"events":[{"event":"paid","userId":"u","properties":{"id":12345678901234567890}}]}`
  for (let n = 0; n < 3; n++) await post('/v1/events?warnings=true', sent, owner)
  const seen = await problemsOf(owner, 'warned', 2)
  t.same(
    seen.map(({ status, code, field, eventName, times }) => [status, code, field, eventName, times]).sort(),
    [
      [202, 'NUMBER_ROUNDED', 'events[0].properties.id', 'paid', 3],
      [202, 'UNKNOWN_FIELD', 'extra', null, 3],
    ],
  )
  t.notMatch(JSON.stringify(seen), '1234567')
})

t.test('a flood of refusals leaves few rows, little memory, and room for other workspaces', async (t) => {
  const [hostile, other] = [await makeWorkspace(stores), await makeWorkspace(stores)]
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  t.teardown(() => agent.destroy())
  const refuse = (n: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${hostile.serverKey}`, 'content-type': 'application/json' }
      // Each in a field of another name.
      const field = `f${[...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
      request(`${gateway.url}/v1/events`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('end', resolve)
      })
        .on('error', reject)
        .end(`{"events":[{"event":"e","userId":"u","${field}":1e999}]}`)
    })
  const flood = async (from: number, to: number): Promise<void> => {
    let next = from
    const one = async (): Promise<void> => {
      while (next < to) await refuse(next++)
    }
    await Promise.all(Array.from({ length: 20 }, one))
  }
  const requests = LONG ? 100_000 : 1_000
  await flood(0, requests / 2)
  const before = heapInUse()
  await flood(requests / 2, requests)
  t.ok(heapInUse() - before < 64 * 1024 * 1024, 'the heap does not grow with them')
  await post('/v1/events', JSON.stringify({ events: [{ event: 'e' }] }), other)
  t.match(await problemsOf(other, 'refused', 1), [{ field: 'events[0].userId' }])
  const [row] = await stores.sql<{ kinds: number; refused: number }[]>`
    select count(*)::int as kinds, sum(times)::int as refused from ingest_problems where key_id = ${hostile.keyId}`
  t.ok(row !== undefined && row.kinds > 0 && row.kinds <= 20, `${row?.kinds} kinds`)
})
