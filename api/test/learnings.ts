import { createHash } from 'node:crypto'
import t from 'tap'
import { newId } from '../../postgres/tables/workspaces.js'
import { withApi } from './support/api.js'
import { type ExperimentView, type PageView, putExperiment } from './support/experiments.js'

const api = await withApi(t)
const { client, sql } = api
const workspace = await api.workspace()
const key = workspace.key

interface LearningView {
  id: string
  experimentId: string
  experimentKey: string
  title: string
  decision: string
  variant: string | null
  reviewStatus: string
  interpretation: string
  evidence: {
    experiment: Record<string, unknown>
    decision: Record<string, unknown>
    results: Record<string, unknown>
  }
  evidenceHash: string
  createdAt: string
  updatedAt: string
}

const list = async (query = '') =>
  (await client.request<PageView<LearningView>>('GET', `/learnings${query}`, { key })).body

/**
 * RFC 8785, implemented independently: members by UTF-16 code units, numbers and strings as in ECMAScript.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const record = value as Record<string, unknown>
  return `{${Object.keys(record)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(record[name])}`)
    .join()}}`
}

async function settle(name: string, path: string, body: unknown): Promise<LearningView> {
  const id = await putExperiment(api, workspace, 'ended', {
    name,
    conversionTargets: [
      { eventName: 'a.$', name: '€\u20ac', direction: 'increase', windowHours: 1e-7, filters: [] },
      {
        eventName: 'z',
        name: '😀',
        direction: 'decrease',
        windowHours: 333333333.3333333,
        filters: [{ property: 'b.a', operator: 'eq', value: { z: 1, a: [0.1, -0, 1e21, '\u007f\n"'] } }],
      },
    ],
  })
  const answer = await client.request<ExperimentView>('POST', `/experiments/${id}/${path}`, { key, body })
  t.ok(answer.status < 300)
  const page = await list('?limit=1')
  t.equal(page.data[0]?.experimentId, id)
  return page.data[0] as LearningView
}

t.test('each decision is written up once, with the evidence and its hash', async (t) => {
  const shipped = await settle('One', 'decide', {
    outcome: 'ship',
    variant: 'treatment',
    reason: 'Better',
    force: true,
  })
  const read = await client.request<LearningView>('GET', `/learnings/${shipped.id}`, { key })
  t.strictSame(read.body, shipped)
  t.match(shipped, {
    title: 'One: shipped Treatment',
    decision: 'ship',
    variant: 'treatment',
    reviewStatus: 'draft',
    interpretation: 'Better',
    evidence: {
      experiment: { name: 'One', variants: [{ key: 'control', isControl: true }, { key: 'treatment' }] },
      decision: { outcome: 'ship', variant: 'treatment', reason: 'Better' },
      results: { state: 'no_data', exposed: 0 },
      lagSeconds: 0,
      method: { confidence: 0.95 },
    },
  })
  t.equal(shipped.evidenceHash, createHash('sha256').update(canonical(shipped.evidence)).digest('hex'))
  t.equal(
    (
      await client.request('GET', `/learnings/${shipped.id}`, {
        key,
        headers: { 'If-None-Match': String(read.headers.etag) },
      })
    ).status,
    304,
  )
  t.match(await settle('Two', 'decide', { outcome: 'reject', force: true }), {
    title: 'Two: rejected',
    decision: 'reject',
    variant: null,
    interpretation: 'The experiment was rejected: the control stays.',
  })
  t.match(await settle('Three', 'end', { conclude: true }), {
    title: 'Three: concluded',
    decision: 'conclude',
    variant: null,
    evidence: { decision: { outcome: 'conclude', decidedAt: null } },
  })
  t.match(await settle('Four', 'ship', {}), { title: 'Four: shipped Treatment', decision: 'ship' })
})

t.test('review goes both ways; evidence cannot be edited, by the API or in SQL', async (t) => {
  const learning = await settle('Edited', 'ship', {})
  const path = `/learnings/${learning.id}`
  const patch = (body: unknown, by = key) => client.request<LearningView>('PATCH', path, { key: by, body })
  const approved = await patch({ reviewStatus: 'approved', interpretation: 'i'.repeat(10_000) })
  t.match(approved.body, { reviewStatus: 'approved', interpretation: 'i'.repeat(10_000) })
  t.strictSame(approved.body.evidence, learning.evidence)
  t.ok(approved.body.updatedAt >= learning.updatedAt)
  t.match((await patch({ reviewStatus: 'draft' })).body, { reviewStatus: 'draft' })
  t.match((await patch({ interpretation: '' })).body, { interpretation: '' })
  await patch({ interpretation: '' })
  await patch({})
  const audited = await sql<{ summary: string }[]>`
    select summary from audit_entries where resource_id = ${learning.id} order by id`
  t.strictSame(
    audited.map((entry) => entry.summary),
    [
      'Drafted the learning of the experiment "Edited"',
      'Changed interpretation, review status of the learning "Edited: shipped Treatment"',
      'Changed review status of the learning "Edited: shipped Treatment"',
      'Changed interpretation of the learning "Edited: shipped Treatment"',
    ],
  )
  for (const [body, place] of [
    [{ evidence: {} }, '/evidence'],
    [{ evidenceHash: 'x' }, '/evidenceHash'],
    [{ title: 'x' }, '/title'],
    [{ interpretation: 'i'.repeat(10_001) }, '/interpretation'],
    [{ interpretation: null }, '/interpretation'],
    [{ interpretation: '\u0000' }, '/interpretation'],
    [{ reviewStatus: 'rejected' }, '/reviewStatus'],
  ] as const) {
    const refused = await client.refused('PATCH', path, { key, body })
    t.strictSame(
      refused.body.details.map((detail) => detail.path),
      [place],
    )
  }
  const { key: manager } = await workspace.keyWith(['experiments.manage'])
  t.equal((await client.refused('PATCH', path, { key: manager, body: {} })).body.code, 'MISSING_PERMISSION')

  for (const change of [
    `evidence = '{}'`,
    `evidence = jsonb_set(evidence, '{results}', '1')`,
    `evidence_hash = repeat('0', 64)`,
    `decision = 'reject'`,
    `variant = null`,
    `experiment_key = 'other'`,
    `created_at = now()`,
    `workspace_id = '${newId()}'`,
  ])
    await t.rejects(
      sql.unsafe(`update learnings set ${change} where id = '${learning.id}'`),
      /frozen/,
      change,
    )
  const kept = await client.request<LearningView>('GET', path, { key })
  t.strictSame(kept.body.evidence, learning.evidence)
})

t.test('learnings without a review state are shown and found as approved', async (t) => {
  const learning = await settle('Historical', 'ship', {})
  await sql`update learnings set review_state = null where id = ${learning.id}`
  const read = await client.request<LearningView>('GET', `/learnings/${learning.id}`, { key })
  t.equal(read.body.reviewStatus, 'approved')
  t.ok((await list('?reviewStatus=approved')).data.some((row) => row.id === learning.id))
  t.notOk((await list('?reviewStatus=draft')).data.some((row) => row.id === learning.id))
  const same = await client.request<LearningView>('PATCH', `/learnings/${learning.id}`, {
    key,
    body: { reviewStatus: 'approved' },
  })
  t.equal(same.body.updatedAt, learning.updatedAt, 'approving it changes nothing')
  const draft = await client.request<LearningView>('PATCH', `/learnings/${learning.id}`, {
    key,
    body: { reviewStatus: 'draft' },
  })
  t.equal(draft.body.reviewStatus, 'draft')
})

t.test('learnings are listed newest first, with filters, pages and limits', async (t) => {
  const all = await list('?limit=100')
  t.strictSame(
    all.data.map((row) => row.createdAt),
    all.data
      .map((row) => row.createdAt)
      .sort()
      .reverse(),
  )
  const { total } = all.pagination
  t.strictSame((await list()).pagination, { limit: 25, offset: 0, total, hasMore: false })
  t.strictSame(
    (await list('?limit=2&offset=1')).data.map((row) => row.id),
    all.data.slice(1, 3).map((row) => row.id),
  )
  t.strictSame((await list('?offset=9007199254740991')).data, [])
  const titles = async (query: string) => (await list(query)).data.map((row) => row.title).sort()
  t.strictSame(await titles('?decision=reject'), ['Two: rejected'])
  t.strictSame(await titles('?decision=conclude'), ['Three: concluded'])
  t.strictSame(await titles('?search=TWO%3A%20rej'), ['Two: rejected'])
  t.strictSame(await titles('?search=better'), ['One: shipped Treatment'])
  for (const search of ['%25', '_', '%5C']) t.strictSame(await titles(`?search=${search}`), [], search)
  const middle = all.data[2]?.createdAt ?? ''
  t.equal(
    (await list(`?from=${middle}`)).pagination.total,
    all.data.filter((row) => row.createdAt >= middle).length,
  )
  t.equal(
    (await list(`?to=${middle}`)).pagination.total,
    all.data.filter((row) => row.createdAt < middle).length,
  )
  for (const [query, place] of [
    ['limit=0', 'query.limit'],
    ['limit=101', 'query.limit'],
    ['offset=-1', 'query.offset'],
    ['search=', 'query.search'],
    [`search=${'x'.repeat(201)}`, 'query.search'],
    ['decision=maybe', 'query.decision'],
    ['reviewStatus=new', 'query.reviewStatus'],
    ['from=yesterday', 'query.from'],
    ['to=2026-01-01', 'query.to'],
    ['sortBy=title', 'query.sortBy'],
  ]) {
    const refused = await client.refused('GET', `/learnings?${query}`, { key })
    t.strictSame(
      refused.body.details.map((detail) => detail.path),
      [place],
    )
  }
  t.equal((await client.refused('GET', '/learnings/5', { key })).body.details[0]?.path, 'path.id')
  t.equal((await client.refused('GET', `/learnings/${newId()}`, { key })).status, 404)
})

t.test('generation runs are listed and read', async (t) => {
  const runs = []
  for (let i = 0; i < 3; i++) {
    const id = newId()
    runs.unshift(id)
    await sql`
      insert into generation_runs (id, workspace_id, status, requested, generated, survived, dropped, error, created_at, started_at,
        finished_at)
      values (${id}, ${workspace.id}, ${i === 2 ? 'failed' : 'succeeded'}, 5, 7, 5,
        ${sql.json([{ reason: 'duplicate', count: 2 }])}, ${i === 2 ? sql.json({ step: 'read', message: 'gone' }) : null},
        ${new Date(1_000 * i)}, ${new Date(1_500 * i)}, ${i === 0 ? null : new Date(2_000 * i)})`
  }
  const page = await client.request<PageView<{ id: string }>>('GET', '/experiment-runs', { key })
  t.strictSame(
    page.body.data.map((run) => run.id),
    runs,
  )
  t.strictSame(page.body.pagination, { limit: 25, offset: 0, total: 3, hasMore: false })
  const second = await client.request<PageView<{ id: string }>>('GET', '/experiment-runs?limit=1&offset=1', {
    key,
  })
  t.equal(second.body.data[0]?.id, runs[1])
  const read = await client.request('GET', `/experiment-runs/${runs[0]}`, { key })
  t.strictSame(read.body, {
    id: runs[0],
    status: 'failed',
    step: null,
    progress: 0,
    requested: 5,
    generated: 7,
    survived: 5,
    dropped: [{ reason: 'duplicate', count: 2 }],
    ideas: [],
    files: [],
    questions: 0,
    tokens: 0,
    asked: [],
    error: { step: 'read', message: 'gone' },
    createdAt: '1970-01-01T00:00:02.000Z',
    startedAt: '1970-01-01T00:00:03.000Z',
    finishedAt: '1970-01-01T00:00:04.000Z',
    durationMs: 1_000,
  })
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'status=failed'])
    t.equal((await client.refused('GET', `/experiment-runs?${query}`, { key })).status, 400)
  t.equal((await client.refused('GET', '/experiment-runs/x', { key })).body.details[0]?.path, 'path.id')
  t.equal((await client.refused('GET', `/experiment-runs/${newId()}`, { key })).status, 404)
})
