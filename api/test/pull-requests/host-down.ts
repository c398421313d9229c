import t from 'tap'
import { withDatabase } from '../../../postgres/test/support/database.js'
import type { GitHubServer } from '../../../repositories/test/support/github-server.js'
import { makeWorkspace, type TestWorkspace } from '../support/api.js'
import { send } from '../support/client.js'
import { experimentBody } from '../support/experiments.js'
import { connectToGitHub, type PullRequestView, until } from '../support/repository.js'
import { noClickHouse, startStage } from '../support/stage.js'

/**
 * GitHub is down for a little less and a little more than a quarter of an hour. Times are Postgres' own, so
 * they are moved instead of waited for.
 */
const { sql } = await withDatabase(t)
const secretKey = Buffer.alloc(32, 7)
const stage = await startStage({ sql, clickhouse: noClickHouse, secretKey })
t.teardown(() => stage.stop())
const url = stage.url ?? ''

interface StatusView {
  readonly id: string
  readonly status: string
  readonly rejectedStage: string | null
  readonly pullRequest: PullRequestView | null
}

async function connected(name: string): Promise<{ workspace: TestWorkspace; github: GitHubServer }> {
  const workspace = await makeWorkspace(sql, secretKey, name)
  // Declared before there is a repository, so that the response does not wait for its pull request.
  await send(url, 'POST', '/v1/experiments', { key: workspace.key, body: experimentBody({ key: 'patient' }) })
  const github = await connectToGitHub({ sql, secretKey }, t, workspace, { files: { 'a.css': 'one\n' } })
  return { workspace, github }
}

const statusOf = async ({ key }: TestWorkspace) =>
  (await send(url, 'GET', '/v1/experiments/patient/status', { key })).body as unknown as StatusView
const reaches = (workspace: TestWorkspace, status: string) =>
  until(
    () => statusOf(workspace),
    (row) => row.status === status,
  )

const away = (github: GitHubServer) => github.fault({ answer: { status: 502 }, times: 1_000 })

/** Moves the first failure back and ends the pause. Resolves after one more attempt, or the end. */
async function after(minutes: number, workspace: TestWorkspace): Promise<void> {
  const ofWorkspace = sql`queue = 'pull-request' and workspace_id = ${workspace.id}`
  const job = async () =>
    (
      await sql<{ attempt: number; running: boolean }[]>`
        select attempt, lock_token is not null as running from jobs where ${ofWorkspace}`
    )[0]
  const before = await until(job, (now) => now?.running === false && now.attempt > 0)
  await sql`
    update jobs set run_at = now(), first_failed_at = now() - ${minutes} * interval '1 minute' where ${ofWorkspace}`
  await until(job, (now) => now?.running === false && now.attempt > (before?.attempt ?? 0))
}

t.test('work waits for a host that is down for 14 minutes, and continues by itself', async (t) => {
  const { workspace, github } = await connected('Short')
  away(github)
  const asked = await send(url, 'POST', '/v1/experiments/patient/generate-pr', {
    key: workspace.key,
    body: {},
  })
  t.match(asked, { status: 202, body: { status: 'generating_pr' } })
  await after(14, workspace)
  t.match(await statusOf(workspace), { status: 'generating_pr', pullRequest: null })
  github.mend()
  await sql`update jobs set run_at = now() where failed_at is null`
  t.match(await reaches(workspace, 'pr_open'), { pullRequest: { number: 1, state: 'open' } })
})

t.test('a host that is down for 16 minutes fails the pull request with the reason', async (t) => {
  const { workspace, github } = await connected('Long')
  away(github)
  await send(url, 'POST', '/v1/experiments/patient/generate-pr', { key: workspace.key, body: {} })
  await after(16, workspace)
  t.match(await reaches(workspace, 'pr_failed'), {
    rejectedStage: null,
    pullRequest: { state: 'failed', number: null, error: /host cannot answer now.*502/ },
  })
  github.mend()
  t.equal(github.repository.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main')
})

/** Lets an experiment's job run until the status is reached. */
const hurried = (workspace: TestWorkspace, status: string) =>
  until(
    async () => {
      await sql`update jobs set run_at = now() where workspace_id = ${workspace.id} and lock_token is null`
      return statusOf(workspace)
    },
    (row) => row.status === status,
  )

t.test('a host that does not show a new pull request yet is asked again', async (t) => {
  const { workspace, github } = await connected('Late')
  const late = (path: RegExp, status: number, body: unknown = {}) =>
    github.fault({ method: 'POST', path, answer: { status, body } })
  late(/\/git\/trees$/, 404)
  late(/\/git\/commits$/, 409)
  late(/\/git\/refs$/, 422)
  late(/\/pulls$/, 422)
  await send(url, 'POST', '/v1/experiments/patient/generate-pr', { key: workspace.key, body: {} })
  t.match(await hurried(workspace, 'pr_open'), { pullRequest: { number: 1, state: 'open' } })
  github.merge(1, 'squash')
  github.fault({ method: 'GET', path: /\/pulls\/1$/, answer: { status: 404 } })
  await until(
    async () => {
      await sql`update repositories set next_poll_at = now() where workspace_id = ${workspace.id}`
      return statusOf(workspace)
    },
    (row) => row.status === 'ready',
  )
})

t.test('a 422 for 16 minutes fails the pull request and removes its branch', async (t) => {
  const { workspace, github } = await connected('Gone')
  const branches = () => github.repository.git('for-each-ref', '--format=%(refname)')
  github.fault({ method: 'POST', path: /\/pulls$/, answer: { status: 422 }, times: 1_000 })
  github.fault({ method: 'DELETE', answer: { status: 404 } })
  await send(url, 'POST', '/v1/experiments/patient/generate-pr', { key: workspace.key, body: {} })
  await after(14, workspace)
  t.match(await statusOf(workspace), { status: 'generating_pr' })
  t.match(branches(), /svc\/patient/)
  await after(16, workspace)
  t.match(await hurried(workspace, 'pr_failed'), {
    pullRequest: { state: 'failed', error: /opening a pull request: 422/ },
  })
  await until(
    async () => {
      await hurried(workspace, 'pr_failed')
      return branches()
    },
    (names) => names === 'refs/heads/main',
  )
})

t.test('a merge while the host is down is noticed afterwards, and nothing counts as closed', async (t) => {
  const { workspace, github } = await connected('Merged')
  await send(url, 'POST', '/v1/experiments/patient/generate-pr', { key: workspace.key, body: {} })
  await reaches(workspace, 'pr_open')
  const polls = async () => {
    const [row] = await sql<{ failures: number }[]>`
      select failures from repositories where workspace_id = ${workspace.id}`
    return row?.failures ?? 0
  }
  const soon = () => sql`update repositories set next_poll_at = now() where workspace_id = ${workspace.id}`
  away(github)
  github.merge(1, 'merge')
  for (let failures = 1; failures <= 3; failures++) {
    await soon()
    await until(polls, (failed) => failed >= failures)
  }
  const [next] = await sql<{ seconds: number }[]>`
    select extract(epoch from next_poll_at - now())::float8 as seconds from repositories where workspace_id = ${workspace.id}`
  t.ok(next !== undefined && next.seconds < 61, 'within a minute of its return, however long it was away')
  t.match(await statusOf(workspace), { status: 'pr_open' })
  github.mend()
  await soon()
  t.match(await reaches(workspace, 'ready'), { pullRequest: { state: 'merged' } })
})
