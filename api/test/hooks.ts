import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { insertDeadLetters } from '../../postgres/tables/dead-letters.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { makeWorkspace, type TestWorkspace } from './support/api.js'
import { createContractClient, send } from './support/client.js'
import { withCrashStores } from './support/crash/crash.js'
import { putExperiment } from './support/experiments.js'
import { noClickHouse, startStage } from './support/stage.js'

/*
 * The life of a webhook, over a real receiver that fails in every way. A receiver is a path: each test has
 * its own.
 */
const stores = await withCrashStores(t)
const { sql, secretKey } = stores
const fixtures = { sql, clock: { now: () => Date.now() } }
/** Nothing is late, and tests bring each further attempt forward. */
const settings = { allowPrivate: true, timeoutMs: 600_000, retryMs: 3_600_000 }
const stage = await startStage(
  { sql, clickhouse: noClickHouse, secretKey },
  { hooks: settings, publicUrl: 'https://svc.example.com' },
)
t.teardown(() => stage.stop())
const client = createContractClient(
  (await send(stage.url ?? '', 'GET', '/reference/openapi.json')).body,
  stage.url ?? '',
)

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: {
    readonly id: string
    readonly kind: string
    readonly at: string
    readonly workspaceId: string
    readonly data: Record<string, unknown>
  }
}
const received = new Map<string, Received[]>()
const answers = new Map<string, (response: ServerResponse, attempt: number) => void>()
const accept = (response: ServerResponse) => response.writeHead(204).end()

const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const path = request.url ?? ''
    const text = Buffer.concat(chunks).toString()
    const all = received.get(path) ?? []
    all.push({ headers: request.headers, text, body: JSON.parse(text) })
    received.set(path, all)
    const answer = answers.get(path) ?? accept
    answer(response, all.length)
  })
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
t.teardown(() => {
  receiver.closeAllConnections()
  receiver.close()
})
const { port } = receiver.address() as AddressInfo
const at = (path: string) => `http://127.0.0.1:${port}${path}`

async function until<T>(what: string, find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + 60_000; ; await sleep(20)) {
    const value = await find()
    if (value !== undefined) return value
    if (Date.now() > end) throw new Error(`not within a minute: ${what}`)
  }
}
const got = (path: string, count: number) =>
  until(`${count} deliveries at ${path}`, () => {
    const all = received.get(path) ?? []
    return all.length >= count ? all : undefined
  })

interface HookView {
  id: string
  url: string
  kinds: string[]
  format: string
  secret: string
}
interface DeliveryView {
  id: string
  kind: string
  status: string
  attempts: number
  nextAttemptAt: string | null
  responseStatus: number | null
  error: string | null
}

async function hook(workspace: TestWorkspace, path: string, more: object = {}): Promise<HookView> {
  const made = await client.request<HookView>('POST', '/hooks', {
    key: workspace.session,
    body: { url: at(path), kinds: ['funnel.create'], ...more },
  })
  if (made.status !== 201) throw new Error(made.text)
  return made.body
}
async function makeFunnel(workspace: TestWorkspace, name: string = newId()): Promise<string> {
  const body = { name, steps: [{ eventName: 'a' }] }
  return (await client.request<{ id: string }>('POST', '/funnel', { key: workspace.key, body })).body.id
}
async function deliveries(workspace: TestWorkspace, { id }: { id: string }): Promise<DeliveryView[]> {
  const path = `/hooks/${id}/deliveries`
  const { body } = await client.request<{ data: DeliveryView[] }>('GET', path, { key: workspace.session })
  return body.data
}
const settled = (workspace: TestWorkspace, made: { id: string }, attempts: number) =>
  until(`${attempts} attempts`, async () =>
    (await deliveries(workspace, made)).find((one) => one.attempts === attempts),
  )
/** The next attempt is due now. */
async function hurry({ id }: { id: string }): Promise<void> {
  await sql`
    with due as (update jobs set run_at = now() where serial_key = ${id} returning queue)
    select pg_notify('svc_jobs', queue) from due`
}
const workspaceOf = (name: string) => makeWorkspace(sql, secretKey, name)

t.test('an audit entry is posted once and signed, to each webhook that selects it', async (t) => {
  const workspace = await workspaceOf('Signed')
  const other = await workspaceOf('Other')
  const given = await hook(workspace, '/given', { secret: 'a secret of ours' })
  const made = await hook(workspace, '/made', { kinds: ['funnel.delete', '*'] })
  await hook(workspace, '/unwanted', { kinds: ['funnel.delete'] })
  await hook(other, '/other', { kinds: ['*'] })
  t.equal(given.secret, 'a secret of ours')
  t.match(made.secret, /^whsec_[\w-]{43}$/)
  const { body } = await client.request('GET', '/hooks', { key: workspace.session })
  t.notMatch(JSON.stringify(body), 'secret', 'it is shown once')
  const [row] = await sql<{ secret: Buffer }[]>`select secret from hooks where id = ${made.id}`
  t.notOk(row?.secret.includes(made.secret), 'and stored encrypted')

  const funnel = await makeFunnel(workspace, 'Signed')
  for (const [path, secret] of [
    ['/given', given.secret],
    ['/made', made.secret],
  ] as const) {
    const post = await until(path, () =>
      (received.get(path) ?? []).find((one) => one.body.kind === 'funnel.create'),
    )
    const [, seconds, hmac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(post.headers['svc-signature'])) ?? []
    t.equal(hmac, createHmac('sha256', secret).update(`${seconds}.${post.text}`).digest('hex'))
    t.match(post.body, {
      kind: 'funnel.create',
      workspaceId: workspace.id,
      data: { resourceId: funnel, summary: 'Created the funnel "Signed"', actorApiKeyId: workspace.keyId },
    })
    const [entry] = await sql`select at from audit_entries where id = ${post.body.id}`
    t.equal(entry?.at.toISOString(), post.body.at, 'the id is that of the entry')
  }
  t.match(await settled(workspace, given, 1), { status: 'delivered', responseStatus: 204, error: null })
  t.strictSame(
    (await got('/other', 1)).map((post) => post.body.kind),
    ['hook.create'],
    'another workspace is told nothing of it',
  )
  t.equal(received.get('/unwanted'), undefined)
  t.equal(received.get('/given')?.length, 1)
})

t.test('entries of transactions that commit out of order are all delivered', async (t) => {
  const workspace = await workspaceOf('Order')
  const made = await hook(workspace, '/order', { kinds: ['test.done'] })
  const entry = (tx: typeof sql, id: string) => tx`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id, actor_person_name, request_id, summary)
    values (${id}, ${workspace.id}, now(), 'test.done', 'test', 'x', 'svc', ${id}, 'Done')`
  const [early, late, undone] = [newId(), newId(), newId()]
  await sql.begin(async (slow) => {
    await entry(slow as unknown as typeof sql, early)
    await entry(sql, late)
    t.equal((await got('/order', 1))[0]?.body.id, late, 'the later one does not wait')
  })
  await t.rejects(
    sql.begin(async (tx) => {
      await entry(tx as unknown as typeof sql, undone)
      throw new Error('rolled back')
    }),
  )
  t.strictSame((await got('/order', 2)).map((post) => post.body.id).sort(), [early, late].sort())
  await until('both recorded', async () =>
    (await deliveries(workspace, made)).every((one) => one.status === 'delivered') ? true : undefined,
  )
})

const FAILURES: readonly [
  name: string,
  answer: (response: ServerResponse) => void,
  seen: { responseStatus: number | null; error: RegExp },
][] = [
  ['fails', (response) => response.writeHead(500).end('no'), { responseStatus: 500, error: /answered 500/ }],
  ['is gone', (response) => response.writeHead(410).end(), { responseStatus: 410, error: /answered 410/ }],
  [
    'redirects',
    (response) => response.writeHead(307, { Location: at('/elsewhere') }).end(),
    { responseStatus: 307, error: /answered 307/ },
  ],
  ['is silent', () => {}, { responseStatus: null, error: /did not answer within 0\.5 s/ }],
  [
    'hangs up',
    (response) => response.destroy(),
    { responseStatus: null, error: /not reached: socket hang up/ },
  ],
]
for (const [name, answer, seen] of FAILURES)
  t.test(`a receiver that ${name} gets the event again until it accepts`, async (t) => {
    if (name === 'is silent') settings.timeoutMs = 500
    const workspace = await workspaceOf(name)
    const path = `/${name.replace(' ', '-')}`
    answers.set(path, (response, attempt) => (attempt < 3 ? answer(response) : accept(response)))
    const made = await hook(workspace, path)
    await makeFunnel(workspace)
    for (const attempt of [1, 2]) {
      const delivery = await settled(workspace, made, attempt)
      t.match(delivery, { status: 'pending', ...seen })
      const [job] = await sql`
        select extract(epoch from run_at - now())::float8 as seconds from jobs where serial_key = ${made.id}`
      t.ok(job?.seconds > 1_800, `${job?.seconds} s until the next attempt`)
      if (attempt === 2) settings.timeoutMs = 600_000
      await hurry(made)
    }
    t.match(await settled(workspace, made, 3), { status: 'delivered', responseStatus: 204, error: null })
    const posts = await got(path, 3)
    t.equal(new Set(posts.map((post) => post.text)).size, 1, 'the same body each time')
    t.equal(received.get('/elsewhere'), undefined)
  })

t.test('an event that is not accepted within a day has failed, and can be sent again', async (t) => {
  const workspace = await workspaceOf('Day')
  answers.set('/day', (response, attempt) => response.writeHead(attempt < 3 ? 503 : 200).end())
  const made = await hook(workspace, '/day', { kinds: ['funnel.create', 'hook.retry'] })
  await makeFunnel(workspace)
  const { id } = await settled(workspace, made, 1)
  await sql`update hook_deliveries set expires_at = now() where hook_id = ${made.id}`
  await hurry(made)
  t.match(await settled(workspace, made, 2), { status: 'failed', nextAttemptAt: null, responseStatus: 503 })
  t.strictSame([...(await sql`select 1 from jobs where serial_key = ${made.id}`)], [])
  const again = await client.request<DeliveryView>('POST', `/hooks/${made.id}/deliveries/${id}/retry`, {
    key: workspace.session,
  })
  t.match(again, { status: 202, body: { id, status: 'pending' } })
  t.match(await settled(workspace, made, 3), { id, status: 'delivered', responseStatus: 200 })
  await until('the retry is told too', async () =>
    (await deliveries(workspace, made)).find((one) => one.kind === 'hook.retry'),
  )
  const path = `/hooks/${made.id}/deliveries/${newId()}/retry`
  t.equal((await client.refused('POST', path, { key: workspace.session })).status, 404)
})

t.test('a silent receiver holds up neither another hook nor another workspace', async (t) => {
  const workspace = await workspaceOf('Silent')
  const other = await workspaceOf('Beside silent')
  const pending: ServerResponse[] = []
  answers.set('/black-hole', (response) => pending.push(response))
  const silent = await hook(workspace, '/black-hole')
  await hook(workspace, '/beside')
  await hook(other, '/far')
  for (let i = 0; i < 20; i++) await makeFunnel(workspace)
  await makeFunnel(other)
  await got('/beside', 20)
  await got('/far', 1)
  t.equal(pending.length, 1, 'the silent one holds one slot')
  const { status } = await client.request('DELETE', `/hooks/${silent.id}`, { key: workspace.session })
  t.equal(status, 204)
  pending[0]?.destroy()
  await until('its deliveries are given up', async () =>
    (await sql`select 1 from jobs where serial_key = ${silent.id}`).length === 0 ? true : undefined,
  )
})

t.test('private addresses, users and odd ports are refused', async (t) => {
  const workspace = await workspaceOf('Private')
  const body = { kinds: ['never.happens'] }
  const post = (url: string) =>
    client.request('POST', '/hooks', { key: workspace.session, body: { ...body, url } })
  settings.allowPrivate = false
  for (const url of [
    'http://127.0.0.1/',
    'http://127.1:8080/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://localhost/',
    'http://10.1.2.3/',
    'http://172.31.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'http://192.0.32.8:25/',
    'ftp://example.com/',
    'example.com',
  ]) {
    const refused = await post(url)
    t.match(refused, { status: 400, body: { details: [{ path: '/url' }] } }, url)
  }
  for (const url of ['https://192.0.32.8/hook', 'http://[2606:4700::1]:8443/'])
    t.equal((await post(url)).status, 201, url)
  settings.allowPrivate = true
  t.equal((await post('http://10.0.0.1/')).status, 201)
})

t.test('a name that leads to a private address later is not connected to', async (t) => {
  const workspace = await workspaceOf('Rebinding')
  const name = `http://localhost:${port}/rebound`
  const made = await hook(workspace, '/unused', { url: name })
  settings.allowPrivate = false
  for (const url of [name, at('/rebound')]) {
    await sql`update hooks set url = ${url} where id = ${made.id}`
    const entry = newId()
    await sql`
      insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id, actor_person_name, request_id, summary)
      values (${entry}, ${workspace.id}, now(), 'funnel.create', 'funnel', 'x', 'svc', 'x', 'Done')`
    await until('refused', async () => {
      const [row] = await sql`
        select attempts, status, error, response_status from hook_deliveries where hook_id = ${made.id} and id = ${entry}`
      if (row?.attempts !== 1) return undefined
      t.match(row, {
        status: 'pending',
        response_status: null,
        error: /is not an address of the public internet/,
      })
      return true
    })
  }
  t.equal(received.get('/rebound'), undefined)
  settings.allowPrivate = true
})

t.test('events that are no audit entries are posted too', async (t) => {
  const workspace = await workspaceOf('Kinds')
  const kinds = ['results.ready', 'results.broken_split', 'proposals.ready', 'dead_letters.appeared']
  await hook(workspace, '/kinds', { kinds })
  await hook(workspace, '/slack', { kinds, format: 'slack' })
  const experimentId = await putExperiment(fixtures, workspace, 'running', { name: 'Safe & <sound>' })
  const results = (state: string, ok: boolean) => {
    const verdict = { code: 'undecided', variant: null, text: 'There is no clear difference yet.' }
    return sql.json({ state, srm: { ok, pValue: 0 }, verdict })
  }
  const store = (state: string, ok: boolean) => sql`
    insert into experiment_measurements (experiment_id, workspace_id, results, measured_at)
    values (${experimentId}, ${workspace.id}, ${results(state, ok)}, now())
    on conflict (experiment_id) do update set results = excluded.results, measured_at = excluded.measured_at`
  for (const [state, ok] of [
    ['collecting', true],
    ['ready', true],
    ['ready', true],
    ['ready', false],
    ['collecting', true],
    ['ready', false],
  ] as const)
    await store(state, ok)
  const [runId, emptyRunId] = [newId(), newId()]
  for (const [id, survived] of [
    [runId, 3],
    [emptyRunId, 0],
  ] as const) {
    await sql`
      insert into generation_runs (id, workspace_id, status, requested, created_at)
      values (${id}, ${workspace.id}, 'running', 5, now())`
    await sql`update generation_runs set status = 'succeeded', survived = ${survived}, finished_at = now() where id = ${id}`
  }
  const payload = new Uint8Array()
  const letters = [1, 2].map((offset) => ({
    offset,
    rowIndex: -1,
    workspaceId: workspace.id,
    reason: 'odd',
    events: 4,
    payload,
  }))
  await sql.begin((tx) => insertDeadLetters(tx, newId(), 0, letters, newId))

  const posts = await got('/kinds', 4)
  const dataOf = (kind: string) =>
    posts.filter((post) => post.body.kind === kind).map(({ body }) => body.data)
  const verdict = { code: 'undecided' }
  t.match(dataOf('results.ready'), [{ experimentId, experimentName: 'Safe & <sound>', verdict }])
  t.match(dataOf('results.broken_split'), [{ experimentId }])
  t.match(dataOf('proposals.ready'), [{ runId, proposals: 3 }])
  t.match(dataOf('dead_letters.appeared'), [{ events: 4 }])
  for (const { body } of posts) t.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/, 'a UUIDv7')
  const link = (path: string) => `<https://svc.example.com${path}|Open in svc>`
  const name = 'the experiment "Safe &amp; &lt;sound&gt;"'
  const shown = link(`/experiments/${experimentId}`)
  t.strictSame(
    (await got('/slack', 4)).map((post) => post.text).sort(),
    [
      `There is enough data to read the results of ${name}. There is no clear difference yet. ${shown}`,
      `The split of ${name} is broken, so no figure shows what a variant causes. ${shown}`,
      `3 new proposals are ready. ${link('/proposals')}`,
      `Some events could not be stored. An operator sees them with \`svc admin dead-letters list\`. ${link('/')}`,
    ]
      .map((text) => JSON.stringify({ text }))
      .sort(),
  )
})

t.test(
  'a process that dies between a delivery and its record delivers again, with the same id',
  async (t) => {
    const workspace = await workspaceOf('Killed')
    // This process would deliver instead.
    await stage.stop()
    const child = await stores.startChild(t, 'job:effected')
    const ask = (method: string, path: string, body: object) =>
      send(child.url, method, `/v1${path}`, { key: workspace.session, body })
    await ask('POST', '/hooks', { url: at('/killed'), kinds: ['funnel.create'] })
    await ask('POST', '/funnel', { name: 'killed', steps: [{ eventName: 'a' }] }).catch(() => {})
    t.strictSame(await child.exited, [null, 'SIGKILL'])
    t.equal((await got('/killed', 1)).length, 1)
    await stores.letLeasesEnd()
    const next = await startStage({ sql, clickhouse: noClickHouse, secretKey }, { hooks: settings })
    t.teardown(() => next.stop())
    const [first, second] = await got('/killed', 2)
    t.equal(second?.text, first?.text)
    await until('recorded', async () => {
      const [row] = await sql`
      select d.status, d.attempts from hook_deliveries d join hooks h on h.id = d.hook_id where h.workspace_id = ${workspace.id}`
      return row?.status === 'delivered' ? row : undefined
    })
  },
)
