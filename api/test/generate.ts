import t from 'tap'
import { withApi } from './support/api.js'
import type { PageView } from './support/experiments.js'
import { type PlannedView, until } from './support/repository.js'
import { makeShop, SHOP } from './support/shop.js'

const api = await withApi(t)
const { client, sql } = api

const places = (rows: readonly PlannedView[]) => rows.map(({ surfaces }) => JSON.stringify(surfaces)).sort()

t.test('a batch becomes proposals that are grounded, aimed and explained', async (t) => {
  const at = await makeShop(api, t)
  const accepted = await at.generate({ count: 4 })
  t.equal(accepted.status, 202)
  t.equal(accepted.headers.location, `/v1/experiment-runs/${accepted.body.runId}`)
  const run = await at.over(accepted.body.runId)
  t.match(run, { status: 'succeeded', step: null, progress: 1, requested: 4, survived: 4, error: null })
  const dropped = run.dropped.reduce((sum, { count }) => sum + count, 0)
  t.equal(run.generated, run.survived + dropped, 'every idea is proposed, or dropped for a reason')
  const rows = await at.proposals(run.id)
  t.equal(rows.length, 4)
  const received = ['page_viewed', 'newsletter_subscribed', 'signup_completed', 'order_paid']
  for (const row of rows) {
    t.match(row, { status: 'proposed', origin: 'generated', experimentRunId: run.id, kind: 'experiment' })
    const targets = row.conversionTargets.map(({ eventName }) => eventName)
    t.ok(
      targets.every((name) => received.includes(name) || row.notes.includes(`Send \`${name}\``)),
      'measured by what the site sends, or it says what to send',
    )
    t.equal(new Set(row.variants.map(({ key }) => key)).size, row.variants.length)
    t.not(row.hypothesis, '')
    const { plan } = await at.planned(row.id)
    t.equal(plan?.commit, at.repository.git('rev-parse', 'main'))
    const [file] = plan?.files ?? []
    t.match(file, { path: row.surfaces[0]?.path, action: 'modify', state: 'current' })
    t.ok(file?.diff?.startsWith('diff --git '))
  }
  const audit = await sql<{ summary: string }[]>`
    select summary from audit_entries where workspace_id = ${at.workspace.id} and action = 'experiment.generate'`
  t.strictSame(
    audit.map(({ summary }) => summary),
    ['Asked for 4 proposals'],
  )
})

t.test('of many who ask at once one is heard', async (t) => {
  const at = await makeShop(api, t)
  const answers = await Promise.all(Array.from({ length: 5 }, () => at.generate()))
  const accepted = answers.filter(({ status }) => status === 202)
  t.equal(accepted.length, 1)
  const runId = accepted[0]?.body.runId ?? ''
  for (const { status, body } of answers)
    if (status !== 202)
      t.match(body, { code: 'GENERATION_IN_FLIGHT', details: [{ path: 'runId', message: runId }] })
  await at.over(runId)
  const next = await at.generate()
  t.equal(next.status, 202, 'the next may ask when it is over')
  await at.over(next.body.runId)
})

t.test('what is pending stands in the way of its like, and is replaced only by what lands', async (t) => {
  const at = await makeShop(api, t)
  const first = await at.batch({ count: 20 })
  const again = (await at.generate({ count: 20 })).body.runId
  t.match(await at.over(again), { status: 'succeeded', survived: 0 })
  t.strictSame((await at.over(again)).dropped, [{ reason: 'in_flight', count: first.length }])

  const aside = (await at.generate({ count: 20, focus: 'trousers', replace: true })).body.runId
  t.match(await at.over(aside), { status: 'succeeded', survived: 0 })
  for (const { id } of first) t.equal((await at.get(id)).status, 'proposed', 'nothing took its place')

  const [kept, ...others] = first
  t.equal((await at.post(`/experiments/${kept?.id}/approve`)).status, 200)
  const second = await at.batch({ count: 20, replace: true })
  t.strictSame(places(second), places(others), 'what is approved by now is not proposed again')
  t.equal((await at.get(kept?.id ?? '')).status, 'pr_open')
  for (const { id } of others)
    t.match(await at.get(id), {
      status: 'dismissed',
      dismissal: { reasons: ['replaced'], note: null, personId: at.workspace.ownerId },
    })
  const audit = await sql`
    select from audit_entries where workspace_id = ${at.workspace.id} and action = 'experiment.replaced'
      and actor_person_id is null`
  t.equal(audit.length, others.length)
})

t.test('an approval that comes while a batch lands wins', async (t) => {
  const at = await makeShop(api, t)
  const first = await at.batch({ count: 20 })
  const id = first[0]?.id ?? ''
  let runId = ''
  await sql.begin(async (tx) => {
    // As an approval does, before it commits.
    await tx`update experiments set status = 'approved' where id = ${id}`
    runId = (await at.generate({ count: 20, replace: true })).body.runId
    await until(
      () => sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%order by id for update%'`,
      (waiting) => waiting.length > 0,
      30,
    )
  })
  t.match(await at.over(runId), { status: 'succeeded', survived: first.length - 1 })
  t.equal((await at.get(id)).status, 'approved')
  t.notOk(places(await at.proposals(runId)).includes(places(first.slice(0, 1))[0] ?? ''))
})

t.test('what was dismissed does not come back, and notes keep proposals off what they name', async (t) => {
  const at = await makeShop(api, t)
  const first = await at.batch({ count: 20 })
  const of = (path: string) => first.filter(({ surfaces }) => surfaces[0]?.path === path)
  const [signUp] = of('app/Signup.jsx')
  const [contact] = of('contact.html')
  t.ok(signUp && contact && of('checkout.html').length > 0)
  for (const { id } of first)
    await at.post(`/experiments/${id}/dismiss`, {
      reasons: id === signUp?.id ? ['not_relevant'] : id === contact?.id ? ['other'] : ['low_impact'],
      ...(id === contact?.id ? { note: 'Never touch the plans' } : {}),
    })
  const rows = await at.batch({ count: 20 })
  t.strictSame(rows, [], 'the same code, the same ideas')
  at.repository.commit('main', {
    'plans.html': SHOP['checkout.html'].replaceAll('lamp', 'candle').replaceAll('Lumen', 'Glow'),
    'news.html': SHOP['index.html'].replace('The lamps of this winter', 'The workshop in pictures'),
  })
  const then = await at.batch({ count: 20 })
  t.ok(then.some(({ surfaces }) => surfaces[0]?.path === 'news.html'))
  t.notOk(
    then.some(({ name, surfaces }) => surfaces[0]?.path === 'plans.html' && /plan/.test(name)),
    'the note',
  )
})

t.test('a focus is what a batch is about', async (t) => {
  const at = await makeShop(api, t)
  const rows = await at.batch({ count: 20, focus: 'the contact page' })
  t.ok(rows.length > 0)
  for (const { surfaces } of rows) t.equal(surfaces[0]?.path, 'contact.html')
})

t.test('a generated proposal goes all the way', async (t) => {
  const at = await makeShop(api, t)
  const before = at.repository.git('rev-parse', 'main^{tree}')
  const rows = await at.batch({ count: 20 })
  const row = rows.find(({ surfaces }) => surfaces[0]?.path === 'app/Signup.jsx')
  const id = row?.id ?? ''
  const branch = `svc/${row?.key}`
  const approved = await at.post(`/experiments/${id}/approve`)
  t.match(approved, { status: 200, body: { status: 'pr_open', pullRequest: { branch, state: 'open' } } })
  const written = at.repository.git('show', `${branch}:app/Signup.jsx`)
  t.match(written, /import .*svc-experiments/)
  t.match(written, 'Submit')
  at.repository.bringIn(branch, 'merge')
  const reaches = (status: string) =>
    until(
      () => at.get(id),
      (now) => now.status === status,
    )
  await reaches('ready')
  t.equal((await at.post(`/experiments/${id}/start`)).status, 200)
  t.equal((await at.post(`/experiments/${id}/end`)).status, 200)
  t.equal((await at.post(`/experiments/${id}/decide`, { outcome: 'reject', force: true })).status, 202)
  const ended = await until(
    () => at.get(id),
    ({ cleanupPullRequest }) => cleanupPullRequest?.state === 'open',
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

t.test('a run that fails says where and why, and the next may begin', async (t) => {
  const at = await makeShop(api, t)
  at.repository.git('update-ref', '-d', 'refs/heads/main')
  const { runId } = (await at.generate()).body
  const run = await at.over(runId)
  t.match(run, { status: 'failed', step: null, error: { step: 'read' }, survived: 0 })
  t.match(run.error?.message, /^there is no branch main|^the repository has no commit/)
  t.type(run.durationMs, 'number')
  const next = await at.generate()
  t.equal(next.status, 202)
  t.match(await at.over(next.body.runId), { status: 'failed' })
})

t.test('what no pull request could change is not proposed', async (t) => {
  const at = await makeShop(api, t, {
    // A page beside sources: where its helper would be served is not known.
    'index.html': SHOP['index.html'],
    'src/App.jsx': SHOP['app/Signup.jsx'],
    '.github/page.html': SHOP['contact.html'],
    'node_modules/lib/page.html': SHOP['contact.html'],
    'broken.html': Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'),
  })
  const rows = await at.batch({ count: 20 })
  t.strictSame([...new Set(rows.map(({ surfaces }) => surfaces[0]?.path))], ['src/App.jsx'])
})
