import { join } from 'node:path'
import t from 'tap'
import { gitAsPeople, temporaryFolder } from '../../../repositories/test/support/git-repository.js'
import { withApi } from '../support/api.js'
import { experimentBody } from '../support/experiments.js'
import { connectTo, PAGE, type PlannedView, until } from '../support/repository.js'

/** A whole lifecycle among fifty thousand files and two thousand commits, all of which move meanwhile. */
const FILES = 50_000
const COMMITS = 2_000

/** Most of it stays the same. */
const LONG_PAGE = PAGE.replace(
  '<p>Buy now</p>',
  '<p>Buy now, and whatever else there is to say</p>\n    '.repeat(20),
)

const api = await withApi(t)
const workspace = await api.workspace()
const path = join(temporaryFolder(t), 'huge')
gitAsPeople('/', ['init', '-q', '--bare', '--template=', '-b', 'main', path])
gitAsPeople(path, ['fast-import', '--quiet'], history())
await connectTo(api, workspace, { location: path, helper: 'public/svc-experiments.js' })
const { key } = workspace
const git = (...args: string[]) => gitAsPeople(path, args)
const post = (to: string, body: object = {}) =>
  api.client.request<PlannedView>('POST', `/experiments${to}`, { key, body })
const look = async () => (await api.client.request<PlannedView>('GET', '/experiments/huge', { key })).body

function history(): string {
  const parts: string[] = []
  const commit = (n: number) =>
    parts.push(
      `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + n * 60} +0000\ndata 1\nx\n`,
    )
  const put = (name: string, text: string) =>
    parts.push(`M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
  const part = (n: number) => `src/${n % 40}/${n % 500}/part-${n}.ts`
  commit(0)
  put('public/index.html', LONG_PAGE)
  for (let n = 1; n < FILES; n++) put(part(n), `export const part = ${n}\n`)
  for (let c = 1; c < COMMITS; c++) {
    commit(c)
    put(part(c), `export const part = ${c}\nexport const again = true\n`)
  }
  return parts.join('')
}

/** Gives the base branch another tree. */
function bring(tree: string): void {
  git('update-ref', 'refs/heads/main', git('commit-tree', '-p', 'main', '-m', 'Work', tree))
}

t.test('an experiment in a huge repository is declared, merged, moved and removed', async (t) => {
  const made = await post(
    '',
    experimentBody({
      key: 'huge',
      changes: [
        {
          path: 'public/index.html',
          action: 'modify',
          edits: [{ find: 'Welcome', replace: 'Hello', variant: 'treatment' }],
        },
      ],
    }),
  )
  t.match(made, { status: 201, body: { status: 'pr_open' } })
  bring('svc/huge^{tree}')
  await until(look, ({ status }) => status === 'ready', 60)
  await api.sql`update experiments set status = 'running', started_at = now() where workspace_id = ${workspace.id}`
  bring(gitAsPeople(path, ['mktree'], `040000 tree ${git('rev-parse', 'main^{tree}')}\tsite\n`))
  const moved = await until(look, ({ plan }) => plan?.files[0]?.state === 'moved', 60)
  t.equal(moved.plan?.files[0]?.movedTo, 'site/public/index.html')
  t.match(await post('/huge/ship'), { status: 200, body: { status: 'shipped' } })
  await until(look, (row) => row.cleanupPullRequest?.state === 'open', 60)
  t.equal(
    git('show', 'svc/huge-cleanup:site/public/index.html'),
    LONG_PAGE.replace('Welcome', 'Hello').trimEnd(),
  )
  t.strictSame(git('diff-tree', '-r', '--name-status', 'main', 'svc/huge-cleanup').split('\n'), [
    'D\tsite/.svc/experiments/huge.json',
    'M\tsite/public/index.html',
    'D\tsite/public/svc-experiments.js',
  ])
})
