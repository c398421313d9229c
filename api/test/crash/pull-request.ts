import t from 'tap'
import { makeRepository } from '../../../repositories/test/support/git-repository.js'
import type { ApiFaultPoint } from '../../server.js'
import { makeWorkspace } from '../support/api.js'
import { type ContractAnswer, send } from '../support/client.js'
import { withCrashStores } from '../support/crash/crash.js'
import { experimentBody } from '../support/experiments.js'
import { connectTo, type PlannedView } from '../support/repository.js'
import { noClickHouse, startStage } from '../support/stage.js'

/**
 * Kills a process at each step of declaring an experiment. A retry gets one experiment with one pull request.
 */
const { sql, secretKey, startChild, letLeasesEnd } = await withCrashStores(t)

const POINTS: readonly ApiFaultPoint[] = [
  'api:written',
  'api:committed',
  'job:taken',
  'job:effected',
  'job:marked',
  'job:carried-out',
]

for (const killAt of POINTS)
  t.test(`killed at ${killAt}`, async (t) => {
    const workspace = await makeWorkspace(sql, secretKey, killAt)
    const repository = makeRepository(t, { files: { 'a.css': 'one\n' }, bare: true })
    await connectTo({ sql, secretKey }, workspace, { location: repository.path })
    const ask = (url: string) =>
      send(url, 'POST', '/v1/experiments', {
        key: workspace.key,
        body: experimentBody({
          key: 'once',
          changes: [{ path: 'a.css', action: 'modify', edits: [{ find: 'one', replace: 'two' }] }],
        }),
        headers: { 'Idempotency-Key': `declared-${workspace.id}` },
      }) as Promise<ContractAnswer<PlannedView>>

    const child = await startChild(t, killAt)
    await ask(child.url).catch(() => undefined)
    t.strictSame(await child.exited, [null, 'SIGKILL'])

    await letLeasesEnd()
    const aheadMs = killAt === 'api:written' ? 20_001 : 0
    const stage = await startStage(
      { sql, clickhouse: noClickHouse, secretKey },
      { now: () => Date.now() + aheadMs },
    )
    t.teardown(() => stage.stop())
    const again = await ask(stage.url ?? '')
    t.match(again, { status: 201, body: { status: 'pr_open', pullRequest: { number: 1, state: 'open' } } })
    t.equal((await ask(stage.url ?? '')).text, again.text)
    t.strictSame(repository.git('for-each-ref', '--format=%(refname)').split('\n'), [
      'refs/heads/main',
      'refs/heads/svc/once',
    ])
    t.equal(repository.git('rev-list', '--count', 'main..svc/once'), '1')
    const rows = await sql`select 1 from pull_requests where workspace_id = ${workspace.id}`
    t.equal(rows.length, 1)
  })
