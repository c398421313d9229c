import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openRemoteClickHouse } from '../../../clickhouse/remote/open.js'
import { STATUSES, type Status } from '../../../domain/lifecycle.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { startClickHouseServer } from '../../../test/support/clickhouse/server.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { withApi } from '../support/api.js'
import { createContractClient, type ErrorView } from '../support/client.js'
import { storeEvents } from '../support/events.js'
import { type ExperimentView, experimentBody, type PageView, putExperiment } from '../support/experiments.js'
import { startStage } from '../support/stage.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const key = workspace.key
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])

interface Try {
  readonly path: string
  readonly body?: unknown
  /** Status to status; others are illegal. */
  readonly legal: Partial<Record<Status, Status>>
  /** The status of the response if it is legal. @default 200 */
  readonly status?: number
  readonly code?: string
}

/** The specification's table, for a workspace without a repository. */
const TRIES: Record<string, Try> = {
  approve: { path: 'approve', legal: { proposed: 'approved' } },
  dismiss: { path: 'dismiss', body: { reasons: ['other'] }, legal: { proposed: 'dismissed' } },
  refine: {
    path: 'refine',
    body: { instructions: 'x' },
    legal: { proposed: 'proposed' },
    status: 409,
    code: 'REPOSITORY_NOT_CONNECTED',
  },
  'generate-pr': {
    path: 'generate-pr',
    legal: { approved: 'approved' },
    status: 409,
    code: 'REPOSITORY_NOT_CONNECTED',
  },
  start: { path: 'start', legal: { approved: 'running', ready: 'running' } },
  pause: { path: 'pause', legal: { running: 'paused' } },
  resume: { path: 'resume', legal: { paused: 'running' } },
  end: { path: 'end', legal: { running: 'ended', paused: 'ended' } },
  conclude: {
    path: 'end',
    body: { conclude: true },
    legal: { running: 'concluded', paused: 'concluded', ended: 'concluded' },
  },
  'decide ship': {
    path: 'decide',
    body: { outcome: 'ship', variant: 'treatment' },
    legal: { ended: 'settling' },
    status: 202,
  },
  'decide reject': { path: 'decide', body: { outcome: 'reject' }, legal: { ended: 'settling' }, status: 202 },
  'decide ship, forced': {
    path: 'decide',
    body: { outcome: 'ship', variant: 'treatment', force: true },
    legal: { ended: 'shipped', settling: 'shipped' },
    status: 202,
  },
  'decide reject, forced': {
    path: 'decide',
    body: { outcome: 'reject', force: true },
    // Here everything that settles was decided to be shipped.
    legal: { ended: 'rejected' },
    status: 202,
  },
  ship: { path: 'ship', legal: { running: 'shipped', paused: 'shipped', ended: 'shipped' } },
}

for (const [name, { path, body, legal, status = 200, code }] of Object.entries(TRIES))
  t.test(`${name} from every status`, async (t) => {
    const one = async (from: Status): Promise<void> => {
      const id = await putExperiment(api, workspace, from)
      const before = await client.request<ExperimentView>('GET', `/experiments/${id}/status`, { key })
      const answer = await client.request<ExperimentView & ErrorView>('POST', `/experiments/${id}/${path}`, {
        key,
        ...(body === undefined ? {} : { body }),
      })
      const after = await client.request<ExperimentView>('GET', `/experiments/${id}/status`, { key })
      const to = legal[from]
      t.equal(after.body.status, to ?? from, `${name} from ${from}`)
      if (to === undefined) {
        t.equal(answer.status, 409)
        t.match(answer.body, {
          code: 'ILLEGAL_TRANSITION',
          details: [
            { path: 'status', message: from },
            { path: 'action', message: path },
          ],
        })
        t.match(answer.body.message, / cannot (be \w+|get a pull request): it (is|was|has) /)
        t.ok(answer.body.message.endsWith(`(status ${from}, action ${path})`), answer.body.message)
        t.strictSame(after.body, before.body, 'nothing was written')
        return
      }
      t.equal(answer.status, status)
      if (code !== undefined) t.equal(answer.body.code, code)
      else t.equal(answer.body.status, to)
      if (status === 202) {
        t.equal(answer.headers.location, `/v1/experiments/${id}/status`)
        t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
      }
    }
    await Promise.all(STATUSES.map(one))
  })

t.test('each step from the start to a forced decision sets its status and times', async (t) => {
  const hour = 3_600_000
  const start = Date.UTC(2026, 10, 21)
  let now = start
  api.clock.now = () => now
  t.teardown(() => {
    api.clock.now = () => Date.now()
  })
  const at = (ms: number) => new Date(ms).toISOString()
  const made = await client.request<ExperimentView>('POST', '/experiments', { key, body: experimentBody() })
  const step = async (path: string, body?: unknown) => {
    now += hour
    const answer = await client.request<ExperimentView>('POST', `/experiments/${made.body.key}/${path}`, {
      key,
      ...(body === undefined ? {} : { body }),
    })
    t.equal(answer.body.updatedAt, at(now), path)
    return answer.body
  }
  t.match(await step('start'), { status: 'running', startedAt: at(start + hour), endedAt: null })
  t.match(await step('pause'), { status: 'paused', startedAt: at(start + hour) })
  t.match(await step('resume'), { status: 'running', startedAt: at(start + hour) })
  t.match(await step('end', { conclude: false }), { status: 'ended', endedAt: at(start + 4 * hour) })
  t.match(await step('decide', { outcome: 'ship', variant: 'treatment', reason: 'Better' }), {
    status: 'settling',
    decision: {
      outcome: 'ship',
      variant: 'treatment',
      reason: 'Better',
      decidedAt: at(start + 5 * hour),
      settlesAt: at(start + 28 * hour),
    },
  })
  t.match(await step('decide', { outcome: 'ship', variant: 'treatment', force: true }), {
    status: 'shipped',
    rejectedStage: null,
    decision: {
      outcome: 'ship',
      variant: 'treatment',
      reason: 'Better',
      decidedAt: at(start + 6 * hour),
      settlesAt: at(start + 6 * hour),
    },
    startedAt: at(start + hour),
    endedAt: at(start + 4 * hour),
  })
})

t.test('sites show an experiment only while it runs, and a shipped winner', async (t) => {
  for (const status of STATUSES) {
    const id = await putExperiment(api, workspace, status)
    const { body } = await client.request<{ serving: object; decision: { variant: string | null } | null }>(
      'GET',
      `/experiments/${id}`,
      { key },
    )
    const state = status === 'running' || (status === 'shipped' && body.decision?.variant)
    t.same(body.serving, { state, lastAskedAt: null }, status)
  }
})

t.test(
  'forcing a settling experiment keeps its decision, and its reason unless a new one is sent',
  async (t) => {
    const three = ['a', 'b', 'c'].map((name, i) => ({
      key: name,
      displayName: name,
      trafficSplit: 34 - (i && 1),
    }))
    const decide = (id: string, body: unknown) =>
      client.request<ExperimentView & ErrorView>('POST', `/experiments/${id}/decide`, { key, body })
    const settling = async (body: unknown): Promise<string> => {
      const id = await putExperiment(api, workspace, 'ended', { variants: three })
      t.equal((await decide(id, body)).body.status, 'settling')
      return id
    }
    const shipped = await settling({ outcome: 'ship', variant: 'b', reason: 'Better' })
    for (const other of [{ outcome: 'reject' }, { outcome: 'ship', variant: 'c' }]) {
      const refused = await decide(shipped, { ...other, reason: 'Changed my mind', force: true })
      t.match(refused, {
        status: 409,
        body: {
          code: 'ILLEGAL_TRANSITION',
          details: [
            { path: 'status', message: 'settling' },
            { path: 'action', message: 'decide' },
          ],
        },
      })
      t.match(refused.body.message, /decision to ship b can be forced but not changed/)
    }
    t.match((await decide(shipped, { outcome: 'ship', variant: 'b', force: true })).body, {
      status: 'shipped',
      decision: { outcome: 'ship', variant: 'b', reason: 'Better' },
    })
    const rejected = await settling({ outcome: 'reject', reason: 'No effect' })
    t.equal((await decide(rejected, { outcome: 'ship', variant: 'b', force: true })).status, 409)
    t.match((await decide(rejected, { outcome: 'reject', reason: 'Worse', force: true })).body, {
      status: 'rejected',
      decision: { outcome: 'reject', variant: null, reason: 'Worse' },
    })
    const learned = await api.sql<{ interpretation: string }[]>`
    select interpretation from learnings where experiment_id = any(${[shipped, rejected]}) order by created_at`
    t.strictSame(
      learned.map((row) => row.interpretation),
      ['Better', 'Worse'],
    )
  },
)

t.test('shipping the control is refused, because that is a rejection', async (t) => {
  for (const [path, body] of [
    ['ship', { variant: 'control' }],
    ['decide', { outcome: 'ship', variant: 'control' }],
    ['decide', { outcome: 'ship', variant: 'control', force: true }],
  ] as const) {
    const id = await putExperiment(api, workspace, 'ended')
    const refused = await client.refused('POST', `/experiments/${id}/${path}`, { key, body })
    t.match(refused, { status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path: '/variant' }] } })
    t.match(refused.body.details[0]?.message, /reject/)
    t.equal((await client.request<ExperimentView>('GET', `/experiments/${id}`, { key })).body.status, 'ended')
  }
})

t.test('of twenty identical requests one succeeds, with one audit entry', async (t) => {
  const races: [Status, string, unknown][] = [
    ['proposed', 'approve', {}],
    ['proposed', 'dismiss', { reasons: ['other'] }],
    ['approved', 'start', {}],
    ['running', 'pause', {}],
    ['running', 'end', { conclude: true }],
    ['ended', 'decide', { outcome: 'reject' }],
    ['settling', 'decide', { outcome: 'ship', variant: 'treatment', force: true }],
    ['ended', 'ship', {}],
  ]
  for (const [from, path, body] of races) {
    const id = await putExperiment(api, workspace, from)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        client.request<ErrorView>('POST', `/experiments/${id}/${path}`, { key, body }),
      ),
    )
    const won = answers.filter((answer) => answer.status < 300)
    t.equal(won.length, 1, `${path} from ${from}`)
    t.ok(answers.every((answer) => answer.status < 300 || answer.body.code === 'ILLEGAL_TRANSITION'))
    const audited = await api.sql<{ action: string }[]>`
      select action from audit_entries where resource_id = ${id}`
    t.strictSame(
      audited.map((entry) => entry.action),
      [`experiment.${path}`],
    )
    const learned = await api.sql`select 1 from learnings where experiment_id = ${id}`
    const settles =
      path === 'ship' || (body as { conclude?: true; force?: true }).force !== undefined || path === 'end'
    t.equal(learned.length, settles ? 1 : 0)
  }
})

t.test('a start is refused if its conditions cannot be checked', async (t) => {
  const elsewhere = await api.workspace('No events')
  const id = await putExperiment(api, elsewhere, 'approved')
  const never = await client.refused('POST', `/experiments/${id}/start`, { key: elsewhere.key })
  t.equal(never.body.code, 'EVENT_HISTORY_UNAVAILABLE')
  t.equal(never.body.details[0]?.path, '/conversionTargets/0/eventName')

  // A store that accepts connections and never answers.
  const folder = mkdtempSync(join(tmpdir(), 'svc-lifecycle-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  const server = await startClickHouseServer(folder)
  t.teardown(() => server.kill())
  const address = new URL(`${server.url}/default`)
  const proxy = await startFaultProxy({ host: address.hostname, port: Number(address.port) })
  t.teardown(() => proxy.close())
  address.port = String(proxy.port)
  const clickhouse = await openRemoteClickHouse({ url: address.href })
  await proxy.set('hang')
  const stage = await startStage({ ...api, clickhouse })
  t.teardown(async () => {
    await stage.stop()
    await clickhouse.close()
  })
  const deaf = createContractClient(api.openapi, stage.url ?? '')
  const mine = await putExperiment(api, workspace, 'approved')
  const began = performance.now()
  const refused = await deaf.refused('POST', `/experiments/${mine}/start`, { key })
  const took = performance.now() - began
  t.equal(refused.body.code, 'EVENT_HISTORY_UNAVAILABLE')
  t.ok(took > 1_900 && took < 30_000, `${took} ms`)
  const detail = await deaf.request<{ readiness: { canStart: boolean; checks: { ok: boolean }[] } }>(
    'GET',
    `/experiments/${mine}`,
    { key },
  )
  t.match(detail.body.readiness, { canStart: false, checks: [{ ok: true }, { ok: false }] })
  t.equal((await client.request('POST', `/experiments/${mine}/start`, { key })).status, 200)
})

t.test('deciding and shipping need a variant, a reason within limits, and the scope', async (t) => {
  const three = [
    { key: 'a', displayName: 'A', trafficSplit: 40 },
    { key: 'b', displayName: 'B', trafficSplit: 30 },
    { key: 'c', displayName: 'C', trafficSplit: 30 },
  ]
  const id = await putExperiment(api, workspace, 'ended', { variants: three })
  const bad: [string, unknown, string][] = [
    ['ship', {}, '/variant'],
    ['ship', { variant: 'd' }, '/variant'],
    ['ship', { variant: 5 }, '/variant'],
    ['decide', {}, '/outcome'],
    ['decide', { outcome: 'conclude' }, '/outcome'],
    ['decide', { outcome: 'ship' }, '/variant'],
    ['decide', { outcome: 'ship', variant: 'd' }, '/variant'],
    ['decide', { outcome: 'reject', variant: 'a' }, '/variant'],
    ['decide', { outcome: 'reject', reason: '' }, '/reason'],
    ['decide', { outcome: 'reject', reason: 'r'.repeat(2_001) }, '/reason'],
    ['decide', { outcome: 'reject', force: 'yes' }, '/force'],
    ['end', { conclude: 1 }, '/conclude'],
    ['start', { now: true }, '/now'],
    ['dismiss', {}, '/reasons'],
    ['dismiss', { reasons: [] }, '/reasons'],
    ['dismiss', { reasons: ['replaced'] }, '/reasons/0'],
    ['dismiss', { reasons: ['other', 'other'] }, '/reasons'],
    ['dismiss', { reasons: ['other'], note: 'n'.repeat(2_001) }, '/note'],
    ['refine', {}, '/instructions'],
    ['refine', { instructions: '' }, '/instructions'],
    ['refine', { instructions: '   ' }, '/instructions'],
    ['refine', { instructions: '\n\t' }, '/instructions'],
    ['refine', { instructions: 'i'.repeat(4_001) }, '/instructions'],
    ['approve', { acknowledgeOverlap: 'true' }, '/acknowledgeOverlap'],
  ]
  for (const [path, body, place] of bad) {
    const refused = await client.refused('POST', `/experiments/${id}/${path}`, { key, body })
    t.equal(refused.body.code, 'VALIDATION_FAILED', `${path} ${JSON.stringify(body).slice(0, 50)}`)
    t.strictSame(
      refused.body.details.map((detail) => detail.path),
      [place],
    )
  }
  const shipped = await client.request<ExperimentView>('POST', `/experiments/${id}/decide`, {
    key,
    body: { outcome: 'ship', variant: 'c', reason: 'r'.repeat(2_000), force: true },
  })
  t.match(shipped.body, { status: 'shipped', decision: { variant: 'c' } })

  const manager = await workspace.keyWith(['experiments.manage'])
  const running = await putExperiment(api, workspace, 'running')
  const conclude = await client.refused('POST', `/experiments/${running}/end`, {
    key: manager.key,
    body: { conclude: true },
  })
  t.equal(conclude.body.code, 'MISSING_PERMISSION')
  t.strictSame(
    conclude.body.details.map((detail) => detail.path),
    ['experiments.decide'],
  )
  const missing = await client.refused('POST', `/experiments/${newId()}/end`, {
    key: manager.key,
    body: { conclude: true },
  })
  t.equal(missing.status, 403, '403 before 404')
  t.equal((await client.request('POST', `/experiments/${running}/end`, { key: manager.key })).status, 200)
  for (const [path, scope] of [
    ['approve', 'proposals.review'],
    ['dismiss', 'proposals.review'],
    ['refine', 'proposals.review'],
    ['generate-pr', 'experiments.manage'],
    ['start', 'experiments.manage'],
    ['decide', 'experiments.decide'],
  ]) {
    const refused = await client.refused('POST', `/experiments/${running}/${path}`, {
      key: workspace.readOnlyKey,
      body: {},
    })
    t.match(refused.body, { code: 'MISSING_PERMISSION', details: [{ path: scope }] })
  }
  t.equal(
    (await client.refused('POST', '/experiments/generate', { key })).body.code,
    'REPOSITORY_NOT_CONNECTED',
  )
  for (const body of [{ count: 0 }, { count: 21 }, { focus: '' }, { replace: 1 }])
    t.equal((await client.refused('POST', '/experiments/generate', { key, body })).status, 400)
})

t.test('a dismissal records its person, time and reason', async (t) => {
  const person = await workspace.person(['proposals.review'])
  const id = await putExperiment(api, workspace, 'proposed')
  const dismissed = await client.request<ExperimentView>('POST', `/experiments/${id}/dismiss`, {
    key: person.session,
    body: { reasons: ['duplicate', 'too_risky'], note: 'Seen before' },
  })
  t.match(dismissed.body.dismissal, {
    reasons: ['duplicate', 'too_risky'],
    note: 'Seen before',
    personId: person.id,
    dismissedAt: dismissed.body.updatedAt,
  })
})

t.test('overlapping surfaces are detected', async (t) => {
  const fresh = await api.workspace('Surfaces')
  const surface = (path: string, anchor: string | null = null) => ({ path, anchor })
  const declare = (surfaces: unknown, fields = {}) =>
    client.request<ExperimentView & ErrorView>('POST', '/experiments', {
      key: fresh.key,
      body: experimentBody({ surfaces, ...fields }),
    })
  const first = await declare([surface('a', '#x'), surface('b')], { key: 'first' })
  t.equal(first.status, 201)
  const cases: [{ path: string; anchor: string | null }[], number[]][] = [
    [[surface('a', '#y')], []],
    [[surface('c'), surface('A', '#x')], []],
    [[surface('a', '#x')], [0]],
    [[surface('a')], [0]],
    [
      [surface('c'), surface('b', '#z'), surface('a')],
      [1, 2],
    ],
  ]
  for (const [surfaces, shared] of cases) {
    const id = await putExperiment(api, fresh, 'proposed', { surfaces })
    const path = `/experiments/${id}/approve`
    const answer = await client.request<ExperimentView & ErrorView>('POST', path, { key: fresh.key })
    t.equal(answer.status, shared.length === 0 ? 200 : 409, JSON.stringify(surfaces))
    if (shared.length === 0) {
      await api.sql`update experiments set surfaces = '[]' where id = ${id}`
      continue
    }
    t.equal(answer.body.code, 'SURFACE_OVERLAP')
    t.strictSame(
      answer.body.details,
      shared.map((i) => ({ path: `/surfaces/${i}`, message: 'is shared with the experiment first' })),
    )
    t.equal((await declare(surfaces)).body.code, 'SURFACE_OVERLAP', 'declaring is as approving')
    const asked = await client.request<ExperimentView>('POST', path, {
      key: fresh.key,
      body: { acknowledgeOverlap: true },
    })
    t.equal(asked.body.status, 'approved')
    await api.sql`update experiments set surfaces = '[]' where id = ${id}`
  }
  const changing = (find: string) =>
    JSON.stringify([{ path: 'a', action: 'modify', edits: [{ find, replace: '', variant: 'b' }] }])
  await api.sql`update experiments set changes = ${changing('<b>Go now</b>')}::text::jsonb where id = ${first.body.id}`
  for (const [find, status] of [
    ['Go now', 409],
    ['<p><b>Go now</b></p>', 409],
    ['Go', 409],
    ['Stop', 200],
  ] as const) {
    const id = await putExperiment(api, fresh, 'proposed', { surfaces: [surface('a', '#y')] })
    await api.sql`update experiments set changes = ${changing(find)}::text::jsonb where id = ${id}`
    const answer = await client.request('POST', `/experiments/${id}/approve`, { key: fresh.key })
    t.equal(answer.status, status, `one text under two anchors: ${find}`)
    await api.sql`update experiments set surfaces = '[]', changes = '[]' where id = ${id}`
  }
  await api.sql`update experiments set changes = '[]' where id = ${first.body.id}`
  for (const status of STATUSES) {
    await api.sql`
      update experiments set status = ${status}, rejected_stage = ${status === 'rejected' ? 'pr' : null},
        decision_outcome = 'reject', decided_at = now(), settles_at = now() + interval '1 day'
      where id = ${first.body.id}`
    const id = await putExperiment(api, fresh, 'proposed', { surfaces: [surface('b')] })
    const answer = await client.request('POST', `/experiments/${id}/approve`, { key: fresh.key })
    const held = ['approved', 'generating_pr', 'pr_open', 'ready', 'running', 'paused'].includes(status)
    t.equal(answer.status, held ? 409 : 200, status)
    await api.sql`update experiments set surfaces = '[]' where id = ${id}`
  }
  const ids = await Promise.all(
    Array.from({ length: 10 }, () => putExperiment(api, fresh, 'proposed', { surfaces: [surface('race')] })),
  )
  const raced = await Promise.all(
    ids.map((id) => client.request('POST', `/experiments/${id}/approve`, { key: fresh.key })),
  )
  t.equal(raced.filter((answer) => answer.status === 200).length, 1, 'of ten on one surface one is approved')
})

t.test('every write leaves one audit entry, refused ones and reads none', async (t) => {
  const fresh = await api.workspace('Audited')
  await storeEvents(api, fresh.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])
  const call = (method: string, path: string, body?: unknown) =>
    client.request<ExperimentView>(method, path, { key: fresh.key, ...(body === undefined ? {} : { body }) })
  const made = await call('POST', '/experiments', experimentBody({ name: 'Audit', key: 'audit' }))
  await call('POST', '/experiments', experimentBody({ key: 'audit' }))
  await call('GET', '/experiments/audit')
  await call('PATCH', '/experiments/audit', { conversionTargets: [{ eventName: 'order_paid' }] })
  await call('PATCH', '/experiments/audit', { name: 'Other' })
  await call('PUT', '/experiments/audit/conversion-targets', {
    conversionTargets: [{ eventName: 'order_paid', windowHours: 1 }],
  })
  await call('POST', '/experiments/audit/pause')
  await call('POST', '/experiments/audit/generate-pr')
  for (const path of ['start', 'pause', 'resume', 'end'])
    t.equal((await call('POST', `/experiments/audit/${path}`)).status, 200, path)
  await call('POST', '/experiments/audit/decide', { outcome: 'ship', variant: 'nobody' })
  await call('POST', '/experiments/audit/decide', { outcome: 'ship', variant: 'treatment' })
  await call('POST', '/experiments/audit/decide', { outcome: 'reject', force: true })
  await call('POST', '/experiments/audit/decide', { outcome: 'ship', variant: 'treatment', force: true })
  const { body } = await client.request<PageView<{ action: string; summary: string; resourceId: string }>>(
    'GET',
    `/audit?actorPersonId=${fresh.ownerId}`,
    { key: fresh.session },
  )
  t.strictSame(body.data.map((entry) => `${entry.action}: ${entry.summary}`).reverse(), [
    'experiment.create: Declared the experiment "Audit"',
    'experiment.update: Changed conversion targets of the experiment "Audit"',
    'experiment.start: Started the experiment "Audit"',
    'experiment.pause: Paused the experiment "Audit"',
    'experiment.resume: Resumed the experiment "Audit"',
    'experiment.end: Ended the experiment "Audit"',
    'experiment.decide: Decided to ship treatment of the experiment "Audit"',
    'experiment.decide: Decided to ship treatment of the experiment "Audit" at once',
  ])
  t.ok(body.data.every((entry) => entry.resourceId === made.body.id))
})
