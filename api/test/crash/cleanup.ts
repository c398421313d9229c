import t from 'tap'
import { makeRepository } from '../../../repositories/test/support/git-repository.js'
import { makeWorkspace } from '../support/api.js'
import { send } from '../support/client.js'
import { withCrashStores } from '../support/crash/crash.js'
import { experimentBody } from '../support/experiments.js'
import { connectTo, type PlannedView, until } from '../support/repository.js'
import { startStage } from '../support/stage.js'

/**
 * Kills a process at each step of a shipped experiment's cleanup. The next process carries on: there is one
 * branch, one pull request and one learning.
 */
const { sql, secretKey, clickhouse, startChild, letLeasesEnd } = await withCrashStores(t, {
  clickhouse: true,
})

/**
 * Passes of `job:…`: the first job writes the learning and sends the second, which writes the pull request.
 */
const EDGES = [
  ['api:committed', 1],
  ['job:marked', 1],
  ['job:carried-out', 1],
  ['job:taken', 2],
  ['job:effected', 2],
  ['job:marked', 2],
  ['job:carried-out', 2],
] as const

for (const [killAt, pass] of EDGES)
  t.test(`killed at ${killAt}, ${pass}`, async (t) => {
    const workspace = await makeWorkspace(sql, secretKey, killAt)
    const repository = makeRepository(t, { files: { 'a.css': 'one\n' }, bare: true })
    await connectTo({ sql, secretKey }, workspace, { location: repository.path })
    const { key } = workspace
    const before = await startStage({ sql, clickhouse, secretKey }, { settlingHours: 0 })
    const ofStage = (url: string) => async (): Promise<PlannedView> =>
      (await send(url, 'GET', '/v1/experiments/once', { key })).body as unknown as PlannedView
    const changes = [{ path: 'a.css', action: 'modify', edits: [{ find: 'one', replace: 'two' }] }]
    const body = experimentBody({ key: 'once', changes })
    await send(before.url ?? '', 'POST', '/v1/experiments', { key, body })
    repository.bringIn('svc/once', 'merge')
    await until(ofStage(before.url ?? ''), ({ status }) => status === 'ready')
    await before.stop()
    // Started without its event, which this test does not need.
    await sql`update experiments set status = 'running', started_at = now() where workspace_id = ${workspace.id}`

    const child = await startChild(t, killAt, pass)
    const ship = (url: string) =>
      send(url, 'POST', '/v1/experiments/once/ship', {
        key,
        body: {},
        headers: { 'Idempotency-Key': `ship-${workspace.id}` },
      })
    await ship(child.url).catch(() => undefined)
    t.strictSame(await child.exited, [null, 'SIGKILL'])
    await letLeasesEnd()

    const next = await startStage({ sql, clickhouse, secretKey }, { settlingHours: 0 })
    t.teardown(() => next.stop())
    const url = next.url ?? ''
    t.match(await ship(url), { status: 200, body: { status: 'shipped' } })
    const open = await until(ofStage(url), (row) => row.cleanupPullRequest?.state === 'open')
    t.match(open.cleanupPullRequest, { number: 2, branch: 'svc/once-cleanup', error: null })
    t.strictSame(repository.git('for-each-ref', '--format=%(refname)').split('\n'), [
      'refs/heads/main',
      'refs/heads/svc/once',
      'refs/heads/svc/once-cleanup',
    ])
    t.equal(repository.git('rev-list', '--count', 'main..svc/once-cleanup'), '1')
    t.equal(repository.git('ls-tree', '-r', '--name-only', 'svc/once-cleanup'), 'a.css')
    for (const table of ['pull_requests', 'learnings']) {
      const rows = await sql`select from ${sql(table)} where workspace_id = ${workspace.id}`
      t.equal(rows.length, table === 'learnings' ? 1 : 2, table)
    }
    repository.bringIn('svc/once-cleanup', 'squash')
    await until(ofStage(url), (row) => row.cleanupPullRequest?.state === 'merged')
    await next.stop()
  })
