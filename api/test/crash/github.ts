import t, { type Test } from 'tap'
import type { GitHubServer } from '../../../repositories/test/support/github-server.js'
import { makeWorkspace, type TestWorkspace } from '../support/api.js'
import { send } from '../support/client.js'
import { withCrashStores } from '../support/crash/crash.js'
import { experimentBody } from '../support/experiments.js'
import { connectToGitHub, type PlannedView, until } from '../support/repository.js'
import { startStage } from '../support/stage.js'

/**
 * Kills a process while GitHub executes each request of a pull request. The next process finds the created
 * resources: there is one branch and one pull request of each kind.
 */
const { sql, secretKey, clickhouse, startChild, letLeasesEnd } = await withCrashStores(t, {
  clickhouse: true,
})

const STEPS = [/\/git\/trees$/, /\/git\/commits$/, /\/git\/refs$/, /\/pulls$/]

interface Site {
  readonly workspace: TestWorkspace
  readonly github: GitHubServer
  look(url: string): Promise<PlannedView>
}

async function makeSite(t: Test, name: string): Promise<Site> {
  const workspace = await makeWorkspace(sql, secretKey, name)
  const github = await connectToGitHub({ sql, secretKey }, t, workspace, { files: { 'a.css': 'one\n' } })
  const look = async (url: string) =>
    (await send(url, 'GET', '/v1/experiments/once', { key: workspace.key })).body as unknown as PlannedView
  return { workspace, github, look }
}

/** Sends a request to a process that is killed once GitHub has executed one of its own requests. */
async function killedDuring(
  t: Test,
  { github }: Site,
  step: RegExp,
  ask: (url: string) => Promise<unknown>,
): Promise<void> {
  const child = await startChild(t, 'never')
  const sofar = github.asked.length
  github.fault({ method: 'POST', path: step, carriedOut: true, answer: 'slow' })
  const asked = ask(child.url).catch(() => undefined)
  await until(
    async () => github.asked.slice(sofar),
    (all) => all.some(({ method, path, status }) => method === 'POST' && step.test(path) && status === 201),
  )
  child.process.kill('SIGKILL')
  await asked
  t.strictSame(await child.exited, [null, 'SIGKILL'])
  await letLeasesEnd()
}

async function startNext(t: Test): Promise<{ url: string; stop(): Promise<void> }> {
  const stage = await startStage({ sql, clickhouse, secretKey }, { settlingHours: 0 })
  t.teardown(() => stage.stop())
  return { url: stage.url ?? '', stop: () => stage.stop() }
}

function opened({ github }: Site): number {
  return github.asked.filter(
    ({ method, path, status }) => method === 'POST' && path.endsWith('/pulls') && status === 201,
  ).length
}

for (const [index, step] of STEPS.entries())
  t.test(`killed during ${step.source}`, async (t) => {
    const site = await makeSite(t, `step ${index}`)
    const { github, workspace } = site
    const post = (url: string, path: string, body: object) =>
      send(url, 'POST', `/v1/experiments${path}`, {
        key: workspace.key,
        body,
        headers: { 'Idempotency-Key': `${path}-${workspace.id}`.replaceAll('/', '.') },
      })
    const changes = [{ path: 'a.css', action: 'modify', edits: [{ find: 'one', replace: 'two' }] }]
    const declare = (url: string) => post(url, '', experimentBody({ key: 'once', changes }))
    await killedDuring(t, site, step, declare)
    const first = await startNext(t)
    t.match(await declare(first.url), {
      status: 201,
      body: { status: 'pr_open', pullRequest: { number: 1 } },
    })
    t.equal(opened(site), 1)

    github.merge(1, 'squash')
    await sql`update repositories set next_poll_at = now() where workspace_id = ${workspace.id}`
    await until(
      () => site.look(first.url),
      ({ status }) => status === 'ready',
    )
    await first.stop()
    // Started without its event, which this test does not need.
    await sql`update experiments set status = 'running', started_at = now() where workspace_id = ${workspace.id}`
    const ship = (url: string) => post(url, '/once/ship', {})
    await killedDuring(t, site, step, ship)
    const second = await startNext(t)
    t.match(await ship(second.url), { status: 200, body: { status: 'shipped' } })
    const open = await until(
      () => site.look(second.url),
      (row) => row.cleanupPullRequest?.state === 'open',
    )
    t.match(open.cleanupPullRequest, { number: 2, branch: 'svc/once-cleanup' })
    t.equal(opened(site), 2)
    t.strictSame(github.repository.git('for-each-ref', '--format=%(refname)').split('\n'), [
      'refs/heads/main',
      'refs/heads/svc/once',
      'refs/heads/svc/once-cleanup',
    ])
    t.equal(github.repository.git('rev-list', '--count', 'main..svc/once-cleanup'), '1')
    await second.stop()
  })
