import t from 'tap'
import { withApi } from '../support/api.js'
import { experimentBody, type PageView, putExperiment } from '../support/experiments.js'
import { CHANGES, connectTo, makeSite, type PlannedView } from '../support/repository.js'

const api = await withApi(t)
const { client } = api

t.test('readiness names the obstacles to pull requests in a repository', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const check = async () => {
    const { body } = await client.request<{ checks: { code: string; ok: boolean; message: string }[] }>(
      'GET',
      '/readiness',
      { key: at.workspace.key },
    )
    return body.checks.find(({ code }) => code === 'repository')
  }
  t.match(await check(), { ok: true })
  at.repository.git('branch', 'svc', 'main')
  t.match(await check(), { ok: false, message: /branch svc .*rename or delete it/ })
  at.repository.deleteBranch('svc')
  at.repository.git('config', 'remote.origin.promisor', 'true')
  t.match(await check(), { ok: false, message: /partial clone, .*connect a full clone/ })
})

t.test('changes that do not fit the repository are refused, and nothing is created', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const { key } = at.workspace
  const refused = async (changes: unknown[]) =>
    (await client.refused('POST', '/experiments', { key, body: experimentBody({ changes }) })).body
  const modify = (path: string, find: string, more: object = {}) => ({
    path,
    action: 'modify',
    edits: [{ find, replace: 'x', ...more }],
  })
  t.match(await refused([modify('lost.html', 'x')]), {
    code: 'PROPOSAL_FILES_MISSING',
    details: [{ path: '/changes/0/path' }],
  })
  for (const find of ['nowhere', 't'])
    t.match(await refused([modify('index.html', find)]), {
      code: 'VALIDATION_FAILED',
      details: [{ path: '/changes/0/edits/0' }],
    })
  t.match(await refused([modify('index.html', 'elcom', { variant: 'treatment' })]), {
    code: 'VALIDATION_FAILED',
    details: [{ path: '/changes/0/edits/0', message: /Possible: / }],
  })
  for (const path of [
    'package.json',
    '.github/workflows/x.yml',
    '.git/config',
    '.svc/experiments/x.json',
    'a/.GIT/x',
    'Index.html',
  ])
    t.match(
      await refused([{ path, action: 'create', content: 'x' }]),
      {
        code: 'VALIDATION_FAILED',
        details: [{ path: '/changes/0/path' }],
      },
      path,
    )
  t.match(await refused([modify('index.html', 'Welcome', { variant: 'control' })]), {
    code: 'VALIDATION_FAILED',
  })
  t.match(await refused([{ path: 'index.html', action: 'modify' }]), { code: 'VALIDATION_FAILED' })
  const counts = await client.request<{ total: number }>('GET', '/experiments/counts', { key })
  t.equal(counts.body.total, 0)
  t.equal(at.repository.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main')

  await connectTo(api, at.workspace, { location: at.repository.path, allow: ['package.json'] })
  const allowed = await at.post('/experiments', experimentBody({ changes: [modify('package.json', 'site')] }))
  t.match(allowed, { status: 201, body: { status: 'pr_open' } }, 'unless --allow names it')
})

t.test('a proposal is approved against the files it knows', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const commit = at.repository.git('rev-parse', 'main')
  const put = (fields: object = {}) =>
    putExperiment(api, at.workspace, 'proposed', {
      changes: [{ path: 'about.css', action: 'modify', edits: [{ find: 'things', replace: 'more' }] }],
      surfaces: [{ path: 'about.css', anchor: null }],
      snapshot: {
        commit,
        files: [{ path: 'about.css', blob: at.repository.git('rev-parse', 'main:about.css') }],
      },
      ...fields,
    })
  const [one, two, moved] = [await put(), await put(), await put()]
  const answers = await Promise.all(
    [one, two].map((id) =>
      client.request<PlannedView>('POST', `/experiments/${id}/approve`, { key: at.workspace.key }),
    ),
  )
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409], 'of two for one surface one wins')
  t.match(answers.find(({ status }) => status === 409)?.body, { code: 'SURFACE_OVERLAP' })
  const winner = answers.find(({ status }) => status === 200)?.body
  t.match(winner, { status: 'pr_open' })
  const approve = (id: string) =>
    client.refused('POST', `/experiments/${id}/approve`, { key: at.workspace.key })

  at.repository.commit('main', { 'about.css': 'We sell\nthings\nnow\n' })
  t.match((await approve(moved)).body, { code: 'PROPOSAL_SNAPSHOT_STALE' })
  t.match((await at.planned(moved)).plan?.files[0], { state: 'changed' })
  at.repository.commit('main', { 'about.css': null, 'pages/about.css': 'We sell\nthings\n' })
  t.match((await approve(moved)).body, { code: 'PROPOSAL_FILES_MISSING' }, 'a moved file counts as missing')
  t.match((await at.planned(moved)).plan?.files[0], { state: 'moved', movedTo: 'pages/about.css' })
  at.repository.commit('main', { 'pages/about.css': null })
  t.match((await at.planned(moved)).plan?.files[0], { state: 'gone', movedTo: null })
})

t.test(
  'a pull request that cannot be written names the reason, and generate-pr writes an earlier approval',
  async (t) => {
    const at = await makeSite(api, t, { bare: true, connected: false })
    const { workspace, repository } = at
    const early = (await at.post('/experiments', experimentBody({ key: 'early', changes: CHANGES }))).body
    t.match(early, { status: 'approved', pullRequest: null })
    await connectTo(api, workspace, { location: repository.path })
    const asked = await at.post(`/experiments/${early.id}/generate-pr`)
    t.match(asked, { status: 202, body: { status: 'generating_pr' } })
    t.match(await at.reaches(early.id, 'pr_open'), { pullRequest: { number: 1 } })

    repository.commit('svc/taken', { 'x.css': 'x' })
    const taken = await at.post('/experiments', experimentBody({ key: 'taken' }))
    t.match(taken, {
      status: 201,
      body: { status: 'pr_failed', pullRequest: { state: 'failed', error: /svc\/taken/ } },
    })
    const list = await client.request<PageView<PlannedView>>('GET', '/experiments?hasPr=false', {
      key: workspace.key,
    })
    t.strictSame(
      list.body.data.map((row) => row.key),
      ['taken'],
    )
  },
)
