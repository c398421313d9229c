import t from 'tap'
import { withApi } from '../support/api.js'
import { makeShop, SHOP } from '../support/shop.js'

const api = await withApi(t)
const { sql } = api

t.test('a batch becomes proposals that are grounded, aimed and explained', async (t) => {
  const at = await makeShop(api, t)
  const accepted = await at.generate({ count: 2 })
  t.equal(accepted.status, 202)
  t.equal(accepted.headers.location, `/v1/experiment-runs/${accepted.body.runId}`)
  const run = await at.over(accepted.body.runId)
  t.match(run, { status: 'succeeded', step: null, progress: 1, requested: 2, survived: 2, error: null })
  t.ok(run.generated > run.survived, 'ideas beyond the count are there')
  t.ok(
    run.dropped.some(({ reason }) => reason === 'beyond_count'),
    'and counted',
  )
  const rows = await at.proposals(run.id)
  t.equal(rows.length, 2)
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
    ['Asked for 2 proposals'],
  )
})

t.test('of many concurrent requests one starts a run', async (t) => {
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

t.test('a failed run reports its step and reason, and the next one can start', async (t) => {
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

t.test('changes that a pull request cannot make are not proposed', async (t) => {
  const at = await makeShop(api, t, {
    // A page beside sources: the path that serves its helper is unknown.
    'index.html': SHOP['index.html'],
    'src/App.jsx': SHOP['app/Signup.jsx'],
    '.github/page.html': SHOP['contact.html'],
    'node_modules/lib/page.html': SHOP['contact.html'],
    'broken.html': Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'),
  })
  const rows = await at.batch({ count: 20 })
  t.strictSame([...new Set(rows.map(({ surfaces }) => surfaces[0]?.path))], ['src/App.jsx'])
})
