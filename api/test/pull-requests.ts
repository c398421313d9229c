import t from 'tap'
import { makeRepository, type TestRepository } from '../../repositories/test/support/git-repository.js'
import { type TestWorkspace, withApi } from './support/api.js'
import { storeEvents } from './support/events.js'
import { experimentBody, type PageView, putExperiment } from './support/experiments.js'
import { connectTo, type PlannedView, until } from './support/repository.js'

const api = await withApi(t)
const { client } = api

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Shop</title>
  </head>
  <body>
    <h1 class="title">Welcome</h1>
    <p>Buy now</p>
  </body>
</html>
`
const FILES = {
  'index.html': PAGE,
  'about.txt': 'We sell\nthings\n',
  'old.txt': 'old\n',
  'package.json': '{"name":"site"}\n',
}

interface World {
  readonly workspace: TestWorkspace
  readonly repository: TestRepository
}

async function world(t: Parameters<typeof makeRepository>[0], bare = true): Promise<World> {
  const workspace = await api.workspace()
  const repository = makeRepository(t, { files: FILES, bare })
  await connectTo(api, workspace, { location: repository.path })
  await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])
  return { workspace, repository }
}

const post = ({ workspace: { key } }: World, path: string, body: unknown = {}) =>
  client.request<PlannedView>('POST', path, { key, body })
const get = async ({ workspace: { key } }: World, id: string) =>
  (await client.request<PlannedView>('GET', `/experiments/${id}`, { key })).body
const reaches = (at: World, id: string, status: string) =>
  until(
    () => get(at, id),
    (row) => row.status === status,
  )
const cleanup = (at: World, id: string, state: string) =>
  until(
    () => get(at, id),
    (row) => row.cleanupPullRequest?.state === state,
  )
const treeOf = ({ repository }: World, ref = 'main') => repository.git('rev-parse', `${ref}^{tree}`)
const actions = async ({ workspace }: World, id: string) =>
  (
    await api.sql<{ action: string; name: string; person: string | null }[]>`
      select action, actor_person_name as name, actor_person_id as person from audit_entries
      where workspace_id = ${workspace.id} and resource_id = ${id} order by at, id`
  ).map(({ action, name, person }) => `${action} ${person === null ? name : 'person'}`)

const CHANGES = [
  {
    path: 'index.html',
    action: 'modify',
    edits: [
      { find: 'Welcome', replace: 'Hello', variant: 'treatment' },
      { find: 'Buy now', replace: 'Buy today' },
    ],
  },
  { path: 'about.txt', action: 'modify', content: 'We sell\nother things\n' },
  { path: 'new.txt', action: 'create', content: 'new\n' },
  { path: 'old.txt', action: 'delete' },
]

for (const [outcome, decision, byHand] of [
  [
    'ship',
    { outcome: 'ship', variant: 'treatment', force: true },
    {
      'index.html': PAGE.replace('Welcome', 'Hello').replace('Buy now', 'Buy today'),
      'about.txt': 'We sell\nother things\n',
      'new.txt': 'new\n',
      'old.txt': null,
    },
  ],
  ['reject', { outcome: 'reject', force: true }, {}],
] as const)
  t.test(`the whole life on local git, to ${outcome}`, async (t) => {
    const at = await world(t, outcome === 'ship')
    const before = treeOf(at)
    const made = await post(
      at,
      '/experiments',
      experimentBody({ key: 'hello', hypothesis: 'It greets', changes: CHANGES }),
    )
    t.equal(made.status, 201, made.text)
    t.match(made.body, { status: 'pr_open', pullRequest: { number: 1, branch: 'svc/hello', state: 'open' } })
    const { id } = made.body

    const shown = await get(at, id)
    t.equal(shown.plan?.commit, at.repository.git('rev-parse', 'main'))
    t.strictSame(
      shown.plan?.files.map(({ path, action, state }) => [path, action, state]),
      [
        ['index.html', 'modify', 'current'],
        ['about.txt', 'modify', 'current'],
        ['new.txt', 'create', 'current'],
        ['old.txt', 'delete', 'current'],
        ['svc-experiments.js', 'create', 'current'],
        ['.svc/experiments/hello.json', 'create', 'current'],
      ],
    )
    const applied = at.repository.git(
      'diff',
      '--no-ext-diff',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      'main',
      'svc/hello',
      '--',
      'about.txt',
    )
    t.equal(
      (shown.plan?.files[1]?.diff ?? '').replace(/^diff.*\n/, '').trimEnd(),
      applied.replace(/^diff.*\nindex.*\n/, '').trimEnd(),
      "the plan's diff is git's",
    )
    t.match(at.repository.git('log', '-1', '--format=%B', 'svc/hello'), /Requested-By: Owner of Test/)

    const early = await client.refused('POST', `/experiments/${id}/start`, {
      key: at.workspace.key,
      body: {},
    })
    t.match(early.body, { code: 'ILLEGAL_TRANSITION' })
    at.repository.bringIn('svc/hello', outcome === 'ship' ? 'squash' : 'merge')
    at.repository.deleteBranch('svc/hello')
    t.match(await reaches(at, id, 'ready'), { pullRequest: { state: 'merged', number: 1 } })
    t.equal((await post(at, `/experiments/${id}/start`)).status, 200)
    t.equal((await post(at, `/experiments/${id}/end`)).status, 200)
    const decided = await post(at, `/experiments/${id}/decide`, decision)
    t.equal(decided.status, 202)
    const open = await cleanup(at, id, 'open')
    t.match(open.cleanupPullRequest, { number: 2, branch: 'svc/hello-cleanup' })
    at.repository.bringIn('svc/hello-cleanup', 'merge')
    await cleanup(at, id, 'merged')
    if (outcome === 'reject') t.equal(treeOf(at), before, 'byte for byte as before')
    else {
      const first = at.repository.git('rev-list', '--max-parents=0', 'main')
      at.repository.work('checkout', '-q', '-f', '-B', 'by-hand', first)
      at.repository.work('push', '-q', '-f', 'origin', 'HEAD:refs/heads/by-hand')
      at.repository.commit('by-hand', byHand)
      t.equal(treeOf(at), treeOf(at, 'by-hand'), 'as if written by hand')
    }
    t.strictSame(
      (await actions(at, id)).filter((line) => line.endsWith(' svc')),
      ['experiment.merged svc'],
    )
    const audit = await client.request<PageView<{ actorPersonId: string | null; actorPersonName: string }>>(
      'GET',
      '/audit?action=experiment.merged',
      { key: at.workspace.session },
    )
    t.match(audit.body.data, [{ actorPersonId: null, actorPersonName: 'svc', actorApiKeyId: null }])
    const list = await client.request<PageView<PlannedView>>('GET', '/experiments?hasPr=true', {
      key: at.workspace.key,
    })
    t.strictSame(
      list.body.data.map((row) => row.id),
      [id],
    )
  })

t.test('a branch that is deleted unmerged rejects its experiment', async (t) => {
  const at = await world(t)
  const { id } = (await post(at, '/experiments', experimentBody({ key: 'gone' }))).body
  t.equal(
    at.repository.git('show', '--stat', '--format=', 'svc/gone').includes('.svc/experiments/gone.json'),
    true,
  )
  at.repository.deleteBranch('svc/gone')
  t.match(await reaches(at, id, 'rejected'), { rejectedStage: 'pr', pullRequest: { state: 'closed' } })
  t.match(await actions(at, id), ['experiment.create person', 'experiment.closed svc'])
  const { key } = at.workspace
  const listed = await client.request<PageView<PlannedView>>('GET', '/experiments?rejectedStage=pr', { key })
  t.equal(listed.body.pagination.total, 1)
})

t.test('start asks the host where nobody has noted the merge', async (t) => {
  const at = await world(t)
  const { id } = (await post(at, '/experiments', experimentBody({ key: 'quick' }))).body
  await api.sql`update repositories set next_poll_at = now() + interval '1 hour' where workspace_id = ${at.workspace.id}`
  at.repository.bringIn('svc/quick', 'rebase')
  const started = await post(at, `/experiments/${id}/start`)
  t.match(started, { status: 200, body: { status: 'running', pullRequest: { state: 'merged' } } })
  t.strictSame(await actions(at, id), [
    'experiment.create person',
    'experiment.merged svc',
    'experiment.start person',
  ])
})

t.test('what does not fit the repository is refused, and nothing is created', async (t) => {
  const at = await world(t)
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
    details: [{ path: '/changes/0/edits/0', message: /what fits/ }],
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
})

t.test('a proposal is approved against the files it knows', async (t) => {
  const at = await world(t)
  const commit = at.repository.git('rev-parse', 'main')
  const put = (fields: object = {}) =>
    putExperiment(api, at.workspace, 'proposed', {
      changes: [{ path: 'about.txt', action: 'modify', edits: [{ find: 'things', replace: 'more' }] }],
      surfaces: [{ path: 'about.txt', anchor: null }],
      snapshot: {
        commit,
        files: [{ path: 'about.txt', blob: at.repository.git('rev-parse', 'main:about.txt') }],
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

  at.repository.commit('main', { 'about.txt': 'We sell\nthings\nnow\n' })
  t.match((await approve(moved)).body, { code: 'PROPOSAL_SNAPSHOT_STALE' })
  t.match((await get(at, moved)).plan?.files[0], { state: 'changed' })
  at.repository.commit('main', { 'about.txt': null, 'pages/about.txt': 'We sell\nthings\n' })
  t.match((await approve(moved)).body, { code: 'PROPOSAL_FILES_MISSING' }, 'a moved file counts as missing')
  t.match((await get(at, moved)).plan?.files[0], { state: 'moved', movedTo: 'pages/about.txt' })
  at.repository.commit('main', { 'pages/about.txt': null })
  t.match((await get(at, moved)).plan?.files[0], { state: 'gone', movedTo: null })
})

t.test(
  'what cannot be written says why, and generate-pr writes what was approved before there was a repository',
  async (t) => {
    const workspace = await api.workspace()
    const repository = makeRepository(t, { files: FILES, bare: true })
    const at = { workspace, repository }
    const early = (await post(at, '/experiments', experimentBody({ key: 'early', changes: CHANGES }))).body
    t.match(early, { status: 'approved', pullRequest: null })
    await connectTo(api, workspace, { location: repository.path })
    const asked = await post(at, `/experiments/${early.id}/generate-pr`)
    t.match(asked, { status: 202, body: { status: 'generating_pr' } })
    t.match(await reaches(at, early.id, 'pr_open'), { pullRequest: { number: 1 } })

    repository.commit('svc/taken', { 'x.txt': 'x' })
    const taken = await post(at, '/experiments', experimentBody({ key: 'taken' }))
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
