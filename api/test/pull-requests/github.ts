import t from 'tap'
import { withApi } from '../support/api.js'
import { send } from '../support/client.js'
import { storeEvents } from '../support/events.js'
import { experimentBody } from '../support/experiments.js'
import { connectToGitHub, type PlannedView, until } from '../support/repository.js'

const SECRET = 'what deliveries are signed with'
const PAGE = '<!doctype html>\n<html><head><title>Shop</title></head><body><h1>Welcome</h1></body></html>\n'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const { key } = workspace
const github = await connectToGitHub(api, t, workspace, {
  files: { 'index.html': PAGE },
  webhookSecret: SECRET,
})
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])

const changes = [
  {
    path: 'index.html',
    action: 'modify',
    edits: [{ find: 'Welcome', replace: 'Hello', variant: 'treatment' }],
  },
]
const post = (path: string, body: unknown = {}) => client.request<PlannedView>('POST', path, { key, body })
const reaches = (id: string, isSo: (row: PlannedView) => boolean) =>
  until(async () => (await client.request<PlannedView>('GET', `/experiments/${id}`, { key })).body, isSo)
const deliver = async (payload: Record<string, unknown>, signed = SECRET, to = workspace.id) => {
  const { headers, body } = github.delivery('pull_request', payload, signed)
  return send(api.url, 'POST', `/hooks/github/${to}`, { headers, rawBody: body })
}

t.test(
  'an experiment runs from proposal to cleanup on GitHub, despite faults and without a webhook',
  async (t) => {
    // Half a response, and none, to executed requests; and a secondary limit.
    github.fault({ method: 'POST', path: /\/git\/refs$/, carriedOut: true, answer: 'cut' })
    github.fault({ method: 'POST', path: /\/pulls$/, carriedOut: true, answer: 'reset' })
    github.fault({
      method: 'POST',
      path: /\/git\/commits$/,
      answer: {
        status: 403,
        headers: { 'retry-after': '1' },
        body: { message: 'You have exceeded a secondary rate limit.' },
      },
    })
    const made = await post('/experiments', experimentBody({ key: 'hello', changes }))
    t.equal(made.status, 201, made.text)
    const { id } = made.body
    const open = await reaches(id, (row) => row.status === 'pr_open')
    t.match(open.pullRequest, { number: 1, branch: 'svc/hello', state: 'open', url: /\/pull\/1$/ })
    t.equal(
      github.asked.filter(
        ({ method, path, status }) => method === 'POST' && path.endsWith('/pulls') && status === 201,
      ).length,
      1,
    )

    github.merge(1, 'squash')
    github.repository.deleteBranch('svc/hello')
    // As if its minute were over.
    await api.sql`update repositories set next_poll_at = now() where workspace_id = ${workspace.id}`
    await reaches(id, (row) => row.status === 'ready')
    await post(`/experiments/${id}/start`)
    const shipped = await post(`/experiments/${id}/ship`, { variant: 'treatment' })
    t.match(shipped, { status: 200, body: { status: 'shipped' } })
    const cleaning = await reaches(id, (row) => row.cleanupPullRequest?.state === 'open')
    github.merge(cleaning.cleanupPullRequest?.number ?? 0, 'merge')
    t.equal((await deliver({ number: 2, action: 'closed' })).status, 204)
    await reaches(id, (row) => row.cleanupPullRequest?.state === 'merged')
    t.equal(github.repository.git('show', 'main:index.html'), PAGE.replace('Welcome', 'Hello').trimEnd())
    t.equal(github.repository.git('ls-tree', '-r', '--name-only', 'main'), 'index.html')
    t.ok(github.asked.every(({ authorization }) => authorization?.includes(github.token)))
  },
)

t.test(
  'an unsigned webhook delivery changes nothing; a signed one makes svc ask the host at once',
  async (t) => {
    const { id, pullRequest } = (await post('/experiments', experimentBody({ key: 'closed' }))).body
    await api.sql`update repositories set next_poll_at = now() + interval '1 hour' where workspace_id = ${workspace.id}`
    github.closePullRequest(pullRequest?.number ?? 0)
    for (const answer of [
      await deliver({ number: 3 }, 'another secret'),
      await deliver({ number: 3 }, SECRET, '01a1fdfb-0000-7000-8000-000000000000'),
      await deliver({ number: 3 }, SECRET, 'x'),
      await send(api.url, 'POST', `/hooks/github/${workspace.id}`, { body: {} }),
    ])
      t.match(answer, { status: 401, body: { code: 'UNAUTHENTICATED' } })
    t.equal((await send(api.url, 'GET', `/hooks/github/${workspace.id}`)).status, 405)
    t.equal((await send(api.url, 'POST', '/hooks/other')).status, 404)
    t.equal((await reaches(id, () => true)).status, 'pr_open')
    t.equal((await deliver({ number: 3 })).status, 204)
    t.match(await reaches(id, (row) => row.status === 'rejected'), { rejectedStage: 'pr' })
  },
)

t.test('a refused token is reported, and nothing is created', async (t) => {
  github.grant({ valid: false })
  const { body } = await client.request<{
    checks: { code: string; ok: boolean; message: string; fix: string }[]
  }>('GET', '/readiness', { key })
  t.match(body.checks[0], { code: 'repository', ok: false, fix: /token/ })
  t.notOk(JSON.stringify(body).includes(github.token))
  const refused = await client.refused('POST', '/experiments', { key, body: experimentBody({ changes }) })
  t.match(refused, { status: 409, body: { code: 'REPOSITORY_NOT_CONNECTED' } })
  github.grant({ valid: true })
  const [row] = await api.sql<{ token: Buffer }[]>`
    select token from repositories where workspace_id = ${workspace.id}`
  t.notOk(row?.token.includes(github.token), 'stored encrypted')
})
