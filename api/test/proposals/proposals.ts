import { Registry } from 'prom-client'
import t from 'tap'
import { llmServer } from '../../../generators/test/support/llm-server.js'
import { ideaOf, modelOf } from '../../../generators/test/support/model.js'
import { withApi } from '../support/api.js'
import { createContractClient } from '../support/client.js'
import type { PageView } from '../support/experiments.js'
import { type PlannedView, until } from '../support/repository.js'
import { makeShop, PATIENCE_S, type RunView, SHOP } from '../support/shop.js'
import { startStage } from '../support/stage.js'

/** Proposals from their generation to a decision, and the batches that store and replace them. */
const api = await withApi(t)
const { client, sql } = api

type Shop = Awaited<ReturnType<typeof makeShop>>

/** All ideas of the shop. A batch has at most two of one rule, so the next batch brings the rest. */
async function allIdeas(at: Shop): Promise<readonly PlannedView[]> {
  const first = await at.batch({ count: 20 })
  return [...first, ...(await at.batch({ count: 20 }))]
}

const places = (rows: readonly PlannedView[]) => rows.map(({ surfaces }) => JSON.stringify(surfaces)).sort()

t.test('a pending proposal blocks similar ones, and only stored proposals replace it', async (t) => {
  const at = await makeShop(api, t)
  const first = await allIdeas(at)
  const again = (await at.generate({ count: 20 })).body.runId
  t.match(await at.over(again), { status: 'succeeded', survived: 0 })
  const { dropped } = await at.over(again)
  t.strictSame(
    dropped.filter(({ reason }) => reason !== 'page_without_idea'),
    [{ reason: 'in_flight', count: first.length }],
  )

  const aside = (await at.generate({ count: 20, focus: 'trousers', replace: true })).body.runId
  t.match(await at.over(aside), { status: 'succeeded', survived: 0 })
  for (const { id } of first) t.equal((await at.get(id)).status, 'proposed', 'nothing took its place')

  const [kept, ...others] = first
  t.equal((await at.post(`/experiments/${kept?.id}/approve`)).status, 200)
  const second = await at.batch({ count: 20, replace: true })
  t.strictSame(places(second), places(others), 'what is approved by now is not proposed again')
  await at.reaches(kept?.id ?? '', 'pr_open')
  for (const { id } of others)
    t.match(await at.reaches(id, 'dismissed'), {
      dismissal: { reasons: ['replaced'], note: null, personId: at.workspace.ownerId },
    })
  const audit = await sql`
    select from audit_entries where workspace_id = ${at.workspace.id} and action = 'experiment.replaced'
      and actor_person_id is null`
  t.equal(audit.length, others.length)
})

t.test('an approval wins over a batch that is being stored', async (t) => {
  const at = await makeShop(api, t)
  const first = await at.batch({ count: 20 })
  const id = first[0]?.id ?? ''
  let runId = ''
  await sql.begin(async (tx) => {
    // As an approval does, before it commits.
    await tx`update experiments set status = 'approved' where id = ${id}`
    runId = (await at.generate({ count: 20, replace: true })).body.runId
    // Queried here, so that it does not count as idle.
    await until(
      () => tx`select from pg_locks where locktype = 'transactionid' and not granted`,
      (waiting) => waiting.length > 0,
      PATIENCE_S,
    )
  })
  t.match(await at.over(runId), { status: 'succeeded', survived: first.length - 1 })
  t.equal((await at.get(id)).status, 'approved')
  t.notOk(places(await at.proposals(runId)).includes(places(first.slice(0, 1))[0] ?? ''))
})

t.test(
  'dismissed ideas do not come back, and notes keep proposals away from the places they name',
  async (t) => {
    const at = await makeShop(api, t)
    const first = await allIdeas(at)
    const of = (path: string) => first.filter(({ surfaces }) => surfaces[0]?.path === path)
    const [signUp] = of('app/Signup.jsx')
    const [contact] = of('contact.html')
    t.ok(signUp && contact)
    for (const { id } of first)
      await at.post(`/experiments/${id}/dismiss`, {
        reasons: id === signUp?.id ? ['not_relevant'] : id === contact?.id ? ['other'] : ['low_impact'],
        ...(id === contact?.id ? { note: 'Never touch the plans' } : {}),
      })
    const rows = await at.batch({ count: 20 })
    t.strictSame(rows, [], 'the same code, the same ideas')
    at.repository.commit('main', {
      'plans.html': SHOP['checkout.html']
        .replaceAll('lamp', 'candle')
        .replaceAll('Lumen', 'Glow')
        .replace('</body>', '<a href="/news.html">News</a></body>'),
      'sitemap.xml': '<urlset><url><loc>https://lumen.example/news.html</loc></url></urlset>\n',
      'news.html': SHOP['index.html'].replace(
        '</body>',
        `<a class="btn" href="/contact.html">Learn more</a><a href="/plans.html">Plans</a></body>`,
      ),
    })
    const then = await at.batch({ count: 20 })
    t.ok(then.some(({ surfaces }) => surfaces[0]?.path === 'news.html'))
    t.notOk(
      then.some(({ name, surfaces }) => surfaces[0]?.path === 'plans.html' && /plan/.test(name)),
      'the note',
    )
  },
)

t.test('a batch follows its focus', async (t) => {
  const at = await makeShop(api, t)
  const rows = await at.batch({ count: 20, focus: 'the contact page' })
  t.ok(rows.length > 0)
  for (const { surfaces } of rows) t.equal(surfaces[0]?.path, 'contact.html')
})

t.test('a generated proposal can be approved, opened as a pull request and merged', async (t) => {
  const at = await makeShop(api, t)
  const before = at.repository.git('rev-parse', 'main^{tree}')
  const rows = await at.batch({ count: 20 })
  const row = rows.find(({ surfaces }) => surfaces[0]?.path === 'app/Signup.jsx')
  const id = row?.id ?? ''
  const branch = `svc/${row?.key}`
  t.equal((await at.post(`/experiments/${id}/approve`)).status, 200)
  t.match(await at.reaches(id, 'pr_open'), { pullRequest: { branch, state: 'open' } })
  const written = at.repository.git('show', `${branch}:app/Signup.jsx`)
  t.match(written, /import .*svc-experiments/)
  t.match(written, 'Submit')
  at.repository.bringIn(branch, 'merge')
  await at.reaches(id, 'ready')
  t.equal((await at.post(`/experiments/${id}/start`)).status, 200)
  t.equal((await at.post(`/experiments/${id}/end`)).status, 200)
  t.equal((await at.post(`/experiments/${id}/decide`, { outcome: 'reject', force: true })).status, 202)
  const ended = await until(
    () => at.get(id),
    ({ cleanupPullRequest }) => cleanupPullRequest?.state === 'open',
    PATIENCE_S,
  )
  at.repository.bringIn(ended.cleanupPullRequest?.branch ?? '', 'merge')
  t.equal(at.repository.git('rev-parse', 'main^{tree}'), before, 'byte for byte as before')

  const learnings = await client.request<PageView<{ id: string }>>('GET', '/learnings', {
    key: at.workspace.key,
  })
  const approve = await client.request('PATCH', `/learnings/${learnings.body.data[0]?.id}`, {
    key: at.workspace.key,
    body: { reviewStatus: 'approved' },
  })
  t.equal(approve.status, 200)
  const next = await at.batch({ count: 20, replace: true })
  t.notOk(
    next.some(({ surfaces }) => surfaces[0]?.path === 'app/Signup.jsx'),
    'what lost is not proposed again',
  )
})

const LIMITS = {
  maxTokens: 200_000,
  maxSeconds: 300,
  answerTokens: 6_000,
  questionSeconds: 300,
  reasoningEffort: undefined,
}

t.test('a configured language model makes the proposals, and its failure fails the run', async (t) => {
  const idea = ideaOf({
    path: 'contact.html',
    find: 'Submit',
    replace: 'Ask us',
    name: 'Say what the button sends',
  })
  const answer = { says: JSON.stringify({ ideas: [idea], read: [] }) }
  const model = await llmServer(modelOf([answer, { status: 401 }]))
  t.teardown(() => model.close())
  // Two processes would share the queue.
  await api.stage.stop()
  const registry = new Registry()
  const stage = await startStage(api, {
    registry,
    generator: {
      kind: 'llm',
      url: model.url,
      model: 'small',
      key: 'sk-secret',
      ...LIMITS,
    },
  })
  t.teardown(() => stage.stop())
  const at = await makeShop({ ...api, client: createContractClient(api.openapi, stage.url ?? '') }, t)
  const [row, ...others] = await at.batch({ count: 1 })
  t.strictSame(others, [])
  t.match(row, { name: idea.name, surfaces: [{ path: 'contact.html' }], status: 'proposed' })
  t.match((await at.planned(row?.id ?? '')).plan?.files[0]?.diff, 'Ask us')
  const asking = createContractClient(api.openapi, stage.url ?? '')
  const read = async <Body>(path: string) =>
    (await asking.request<Body>('GET', path, { key: at.workspace.key })).body
  const [latest] = (await read<{ data: RunView[] }>('/experiment-runs')).data
  t.match(latest, {
    ideas: [{ name: idea.name, outcome: 'stored', reason: null, message: null }],
    files: Array(4).fill({ why: 'one of the likeliest pages' }),
    questions: 2,
    asked: [{ step: 'propose', outcome: 'answered' }, { step: 'review' }],
  })
  t.ok((latest?.tokens ?? 0) > 500, `${latest?.tokens} tokens`)
  const metrics = await registry.metrics()
  t.match(metrics, 'svc_model_questions_total{step="propose",outcome="answered"} 1')
  t.match(metrics, /svc_model_tokens_total\{direction="input"\} [1-9]\d{2}/)
  t.match(metrics, 'svc_model_question_seconds_count{step="review"} 1')
  const generatorCheck = async () => {
    const { checks } = await read<{ checks: { code: string }[] }>('/readiness?try=generator')
    return checks.find(({ code }) => code === 'generator')
  }
  t.match(await generatorCheck(), { ok: false, message: /refuses the key/ })
  const { runId } = (await at.generate({ count: 1 })).body
  const failed = await at.over(runId)
  t.match(failed, { status: 'failed', survived: 0 })
  t.notMatch(JSON.stringify(failed), 'sk-secret')
  t.equal(model.asked[0]?.authorization, 'Bearer sk-secret')
})

t.test('a stopping process releases its batch, and the next one generates it', async (t) => {
  const model = await llmServer('silence')
  t.teardown(() => model.close())
  const generator = {
    kind: 'llm',
    url: model.url,
    model: 'slow',
    key: undefined,
    ...LIMITS,
  } as const
  const first = await startStage(api, { generator, drainJobsMs: 100 })
  const at = await makeShop({ ...api, client: createContractClient(api.openapi, first.url ?? '') }, t)
  const { runId } = (await at.generate({ count: 2 })).body
  await until(
    async () => model.asked.length,
    (asked) => asked > 0,
    PATIENCE_S,
  )
  t.match(await at.run(runId), { status: 'running', error: null })
  await first.stop()
  const next = await startStage(api)
  t.teardown(() => next.stop())
  const { key } = at.workspace
  const seen = createContractClient(api.openapi, next.url ?? '')
  const run = await until(
    async () => (await seen.request<RunView>('GET', `/experiment-runs/${runId}`, { key })).body,
    ({ status }) => status === 'succeeded' || status === 'failed',
    PATIENCE_S,
  )
  t.match(run, { status: 'succeeded', survived: 2 })
})
