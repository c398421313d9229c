import t from 'tap'
import { withApi } from '../support/api.js'
import { experimentBody, type PageView } from '../support/experiments.js'
import { CHANGES, makeSite, PAGE, type PlannedView, type Site, until } from '../support/repository.js'

const api = await withApi(t)
const { client } = api

const cleanup = (at: Site, id: string, state: string) =>
  until(
    () => at.get(id),
    (row) => row.cleanupPullRequest?.state === state,
  )
const treeOf = ({ repository }: Site, ref = 'main') => repository.git('rev-parse', `${ref}^{tree}`)
const actions = async ({ workspace }: Site, id: string) =>
  (
    await api.sql<{ action: string; name: string; person: string | null }[]>`
      select action, actor_person_name as name, actor_person_id as person from audit_entries
      where workspace_id = ${workspace.id} and resource_id = ${id} order by at, id`
  ).map(({ action, name, person }) => `${action} ${person === null ? name : 'person'}`)

for (const [outcome, decision, byHand] of [
  [
    'ship',
    { outcome: 'ship', variant: 'treatment', force: true },
    {
      'index.html': PAGE.replace('Welcome', 'Hello').replace('Buy now', 'Buy today'),
      'about.css': 'We sell\nother things\n',
      'new.css': 'new\n',
      'old.css': null,
    },
  ],
  ['reject', { outcome: 'reject', force: true }, {}],
] as const)
  t.test(`an experiment runs from proposal to cleanup on local git, to ${outcome}`, async (t) => {
    const at = await makeSite(api, t, { bare: outcome === 'ship' })
    const before = treeOf(at)
    const made = await at.post(
      '/experiments',
      experimentBody({ key: 'hello', hypothesis: 'It greets', changes: CHANGES }),
    )
    t.equal(made.status, 201, made.text)
    t.match(made.body, { status: 'pr_open', pullRequest: { number: 1, branch: 'svc/hello', state: 'open' } })
    const { id } = made.body

    const shown = await at.planned(id)
    t.equal(shown.plan?.commit, at.repository.git('rev-parse', 'main'))
    t.strictSame(
      shown.plan?.files.map(({ path, action, state }) => [path, action, state]),
      [
        ['index.html', 'modify', 'current'],
        ['about.css', 'modify', 'current'],
        ['new.css', 'create', 'current'],
        ['old.css', 'delete', 'current'],
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
      'about.css',
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
    t.match(await at.reaches(id, 'ready'), { pullRequest: { state: 'merged', number: 1 } })
    t.equal((await at.post(`/experiments/${id}/start`)).status, 200)
    t.equal((await at.post(`/experiments/${id}/end`)).status, 200)
    const decided = await at.post(`/experiments/${id}/decide`, decision)
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
      [
        'experiment.opened svc',
        'experiment.merged svc',
        'experiment.cleanup-opened svc',
        'experiment.cleanup-merged svc',
      ],
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
  const at = await makeSite(api, t, { bare: true })
  const { id } = (await at.post('/experiments', experimentBody({ key: 'gone' }))).body
  t.equal(
    at.repository.git('show', '--stat', '--format=', 'svc/gone').includes('.svc/experiments/gone.json'),
    true,
  )
  at.repository.deleteBranch('svc/gone')
  t.match(await at.reaches(id, 'rejected'), { rejectedStage: 'pr', pullRequest: { state: 'closed' } })
  t.strictSame(await actions(at, id), [
    'experiment.create person',
    'experiment.opened svc',
    'experiment.closed svc',
  ])
  const { key } = at.workspace
  const listed = await client.request<PageView<PlannedView>>('GET', '/experiments?rejectedStage=pr', { key })
  t.equal(listed.body.pagination.total, 1)
})

t.test('start asks the host if the merge has not been noticed yet', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const { id } = (await at.post('/experiments', experimentBody({ key: 'quick' }))).body
  await api.sql`update repositories set next_poll_at = now() + interval '1 hour' where workspace_id = ${at.workspace.id}`
  at.repository.bringIn('svc/quick', 'rebase')
  const started = await at.post(`/experiments/${id}/start`)
  t.match(started, { status: 200, body: { status: 'running', pullRequest: { state: 'merged' } } })
  t.strictSame(await actions(at, id), [
    'experiment.create person',
    'experiment.opened svc',
    'experiment.merged svc',
    'experiment.start person',
  ])
})
