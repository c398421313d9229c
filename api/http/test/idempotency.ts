import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { findCredential, hashCredential } from '../../../postgres/tables/credentials.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { withApi } from '../../test/support/api.js'
import type { HttpError } from '../http-error.js'
import { Idempotency } from '../idempotency.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const key = workspace.key
let n = 0
const fresh = () => ({ name: `idempotent ${++n}`, steps: [{ eventName: 'a' }] })
const post = (body: unknown, idempotencyKey: string, as = key) =>
  client.request<{ id: string; code?: string }>('POST', '/funnel', {
    key: as,
    body,
    headers: { 'Idempotency-Key': idempotencyKey },
  })
const countNamed = async (name: string) =>
  (await api.sql`select 1 from funnels where name = ${name} and workspace_id = ${workspace.id}`).length

t.test('a retry gets the first answer byte for byte, and the write happens once', async (t) => {
  const body = fresh()
  const first = await post(body, 'retry-0001')
  const second = await post(body, 'retry-0001')
  t.equal(first.status, 201)
  t.equal(second.status, 201)
  t.equal(second.text, first.text)
  t.equal(second.headers.location, first.headers.location)
  t.equal(first.headers['idempotent-replayed'], undefined)
  t.equal(second.headers['idempotent-replayed'], 'true')
  t.not(second.headers['x-request-id'], first.headers['x-request-id'])
  t.equal(await countNamed(body.name), 1)
  const entries = await api.sql`select 1 from audit_entries where resource_id = ${first.body.id}`
  t.equal(entries.length, 1)
})

t.test(
  'a body with its fields in another order or its defaults written out is the same request',
  async (t) => {
    const { name, steps } = fresh()
    const first = await post({ name, steps, windowSeconds: 60 }, 'order-0001')
    const second = await client.request('POST', '/funnel', {
      key,
      rawBody: ` {"windowSeconds":6e1,"steps":[{"eventName":"a"}],"name":${JSON.stringify(name)}} `,
      headers: { 'Idempotency-Key': 'order-0001' },
    })
    t.equal(second.text, first.text)
    const other = await post({ name, steps, windowSeconds: 60, description: '' }, 'order-0001')
    t.equal(other.body.code, 'IDEMPOTENCY_KEY_REUSED')
  },
)

t.test('another body is 422; another key, route or credential is another request', async (t) => {
  await post(fresh(), 'shared-key-1')
  const reused = await post(fresh(), 'shared-key-1')
  t.equal(reused.status, 422)
  t.equal(reused.body.code, 'IDEMPOTENCY_KEY_REUSED')
  t.equal((await post(fresh(), 'shared-key-2')).status, 201)
  t.equal((await post(fresh(), 'shared-key-1', workspace.session)).status, 201)
  const other = await api.workspace('Other')
  t.equal((await post(fresh(), 'shared-key-1', other.key)).status, 201)
  const funnel = await post(fresh(), 'shared-key-3')
  const query = await client.request('POST', `/funnel/${funnel.body.id}/query`, {
    key,
    body: {},
    headers: { 'Idempotency-Key': 'shared-key-1' },
  })
  t.equal(query.status, 200)
  t.equal(query.headers['idempotent-replayed'], undefined)
})

t.test('keys of the wrong form are refused', async (t) => {
  for (const wrong of [
    '',
    '1234567',
    'a'.repeat(129),
    'with space',
    'slash/slash',
    'ünïcödé-key'.slice(0, 9),
  ]) {
    const answer = await client.refused('POST', '/funnel', {
      key,
      body: { nonsense: 1 },
      headers: { 'Idempotency-Key': wrong },
    })
    t.equal(answer.status, 400, wrong)
    t.ok(
      answer.body.details.some((detail) => detail.path === 'header.Idempotency-Key'),
      wrong,
    )
    t.ok(
      answer.body.details.some((detail) => detail.path === '/nonsense'),
      'with every other place',
    )
  }
  for (const right of ['12345678', 'a'.repeat(128), 'A-z_0.9~'])
    t.equal((await post(fresh(), right)).status, 201, right)
})

t.test('refusals are not stored', async (t) => {
  const body = fresh()
  await client.request('POST', '/funnel', { key, body })
  const refused = await post(body, 'refused-01')
  t.equal(refused.body.code, 'NAME_TAKEN')
  await api.sql`delete from funnels where name = ${body.name}`
  const now = await post(body, 'refused-01')
  t.equal(now.status, 201)
  t.equal(now.headers['idempotent-replayed'], undefined)
  t.equal((await post({ name: 5 }, 'refused-02')).status, 400)
  t.equal((await post(fresh(), 'refused-02')).status, 201)
})

t.test('after ten minutes a key can be used again', async (t) => {
  const body = fresh()
  const first = await post(body, 'expiry-001')
  const start = Date.now()
  api.clock.now = () => start + 599_000
  t.equal((await post(body, 'expiry-001')).text, first.text)
  api.clock.now = () => start + 601_000
  t.equal((await post(body, 'expiry-001')).body.code, 'NAME_TAKEN')
  const idempotency = new Idempotency(api.sql, api.secretKey, api.clock.now, newId)
  await idempotency.removeExpired()
  t.equal((await api.sql`select 1 from idempotency_records`).length, 0)
  api.clock.now = () => Date.now()
})

t.test(
  'a claim makes equal requests wait, and another process takes it over once it has expired',
  async (t) => {
    const credential = await findCredential(api.sql, hashCredential(api.secretKey, key))
    if (credential === undefined) throw new Error('no credential')
    let now = Date.now()
    const idempotency = new Idempotency(api.sql, api.secretKey, () => now, newId, 300)
    const request = {
      credential,
      route: 'POST /x',
      key: 'claim-0001',
      body: { a: 1 },
      signal: new AbortController().signal,
    }
    const begun = await idempotency.begin(request)
    if (begun.kind !== 'claimed') throw new Error('not claimed')

    await t.rejects(
      idempotency.begin(request),
      { code: 'IDEMPOTENCY_IN_FLIGHT', headers: { 'Retry-After': '5' } },
      'gives up',
    )
    await t.rejects(idempotency.begin({ ...request, body: { a: 2 } }), { code: 'IDEMPOTENCY_KEY_REUSED' })
    const gone = new AbortController()
    const waiting = idempotency.begin({ ...request, signal: gone.signal })
    gone.abort()
    await t.rejects(waiting, 'a client that has gone waits no longer')

    const patient = new Idempotency(api.sql, api.secretKey, () => now, newId, 20_000)
    let refused = 0
    const waiters = Array.from({ length: 120 }, () =>
      patient.begin(request).catch((error: HttpError) => {
        refused++
        return error.code
      }),
    )
    await waitUntil(() => refused === 20)
    await begun.claim.finish(api.sql, { status: 200, headers: { A: 'b' }, body: '{"x":1}' })
    const outcomes = await Promise.all(waiters)
    t.equal(outcomes.filter((outcome) => outcome === 'IDEMPOTENCY_IN_FLIGHT').length, 20)
    const replay = { kind: 'replay', answer: { status: 200, headers: { A: 'b' }, body: '{"x":1}' } }
    t.equal(outcomes.filter((outcome) => isDeepStrictEqual(outcome, replay)).length, 100)

    const dead = await idempotency.begin({ ...request, key: 'claim-0002' })
    if (dead.kind !== 'claimed') throw new Error('not claimed')
    now += 19_999
    await t.rejects(idempotency.begin({ ...request, key: 'claim-0002' }), { code: 'IDEMPOTENCY_IN_FLIGHT' })
    now += 2
    const successor = await idempotency.begin({ ...request, key: 'claim-0002' })
    if (successor.kind !== 'claimed') throw new Error('a claim of a dead process was not taken over')
    const failed = await api.sql
      .begin(async (tx) => {
        await tx`update workspaces set name = 'must not stay' where id = ${workspace.id}`
        await dead.claim.finish(tx, { status: 200, headers: {}, body: '{}' })
      })
      .catch((error: HttpError) => error.code)
    t.equal(failed, 'IDEMPOTENCY_IN_FLIGHT', 'the one that was thought dead fails with its write')
    const rows = await api.sql`select name from workspaces where id = ${workspace.id}`
    t.equal(rows[0]?.name, 'Test')
    await dead.claim.release()
    await successor.claim.finish(api.sql, { status: 201, headers: {}, body: undefined })
    t.match(await idempotency.begin({ ...request, key: 'claim-0002' }), {
      kind: 'replay',
      answer: { status: 201 },
    })

    const ahead = await idempotency.begin({ ...request, key: 'claim-0003' })
    if (ahead.kind !== 'claimed') throw new Error('not claimed')
    now -= 3_600_000
    const behind = await idempotency.begin({ ...request, key: 'claim-0003' })
    t.equal(behind.kind, 'claimed', 'a claim from before the clock was set back lasts no hour')
  },
)

t.test('a claim is kept while its process lives, however long the request takes', async (t) => {
  const credential = await findCredential(api.sql, hashCredential(api.secretKey, key))
  if (credential === undefined) throw new Error('no credential')
  let now = Date.now()
  const request = { credential, route: 'POST /x', body: {}, signal: new AbortController().signal }
  const living = new Idempotency(api.sql, api.secretKey, () => now, newId, 300, 0)
  const others = new Idempotency(api.sql, api.secretKey, () => now, newId, 300)
  const kept = await living.begin({ ...request, key: 'renewed-01' })
  const given = await living.begin({ ...request, key: 'renewed-02' })
  if (kept.kind !== 'claimed' || given.kind !== 'claimed') throw new Error('not claimed')
  await given.claim.release()
  for (let seconds = 0; seconds < 60; seconds += 15) {
    now += 15_000
    await living.renew()
    await t.rejects(others.begin({ ...request, key: 'renewed-01' }), { code: 'IDEMPOTENCY_IN_FLIGHT' })
  }
  await kept.claim.finish(api.sql, { status: 200, headers: {}, body: '{}' })
  await living.renew()
  t.match(await others.begin({ ...request, key: 'renewed-01' }), { kind: 'replay' })
  t.match(await others.begin({ ...request, key: 'renewed-02' }), { kind: 'claimed' }, 'given back')
})

t.test('a job can write the answer later', async (t) => {
  const credential = await findCredential(api.sql, hashCredential(api.secretKey, key))
  if (credential === undefined) throw new Error('no credential')
  let now = Date.now()
  const idempotency = new Idempotency(api.sql, api.secretKey, () => now, newId, 300)
  const request = { credential, route: 'POST /x', body: {}, signal: new AbortController().signal }
  const job = { name: 'a-job', key: 'its-key' }
  const awaited = { job, operationId: 'doIt', subjectId: 'subject' }
  const answer = (body: string) => ({ status: 200, headers: {}, body })
  const leave = async (name: string) => {
    const begun = await idempotency.begin({ ...request, key: name })
    if (begun.kind !== 'claimed') throw new Error('not claimed')
    await api.sql.begin((tx) => begun.claim.deferToJob(tx, awaited))
    return begun.claim
  }
  const dead = await leave('left-00001')
  now += 3_600_000
  await idempotency.removeExpired()
  await t.rejects(
    idempotency.begin({ ...request, key: 'left-00001' }),
    { code: 'IDEMPOTENCY_IN_FLIGHT' },
    'no other process claims it: the job goes on',
  )
  await dead.release()
  const asked: unknown[] = []
  await api.sql.begin((tx) =>
    idempotency.conclude(tx, job, async (what) => {
      asked.push(what)
      return answer('by the job')
    }),
  )
  t.strictSame(asked, [{ ...awaited, workspaceId: workspace.id }])
  t.match(await idempotency.begin({ ...request, key: 'left-00001' }), { answer: { body: 'by the job' } })
  t.equal((await dead.settle(answer('too late'))).body, 'by the job', 'the first answer is the one')

  const faster = await leave('left-00002')
  t.equal((await faster.settle(answer('when the wait was over'))).body, 'when the wait was over')
  await api.sql.begin((tx) => idempotency.conclude(tx, job, async () => answer('by the job')))
  t.match(await idempotency.begin({ ...request, key: 'left-00002' }), {
    answer: { body: 'when the wait was over' },
  })
  const rolledBack = await idempotency.begin({ ...request, key: 'left-00003' })
  if (rolledBack.kind !== 'claimed') throw new Error('not claimed')
  await t.rejects(
    api.sql.begin(async (tx) => {
      await rolledBack.claim.deferToJob(tx, awaited)
      throw new Error('refused')
    }),
  )
  await rolledBack.claim.release()
  t.match(await idempotency.begin({ ...request, key: 'left-00003' }), { kind: 'claimed' })
})
