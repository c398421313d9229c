import t from 'tap'
import { withApi } from '../support/api.js'
import { experimentBody } from '../support/experiments.js'
import { makeSite, PAGE, type PlannedView, type Site } from '../support/repository.js'

const api = await withApi(t)

const BODY = experimentBody({
  key: 'hello',
  changes: [
    {
      path: 'index.html',
      action: 'modify',
      edits: [{ find: 'Welcome', replace: 'Hello', variant: 'treatment' }],
    },
    { path: 'new.css', action: 'create', content: 'new\n' },
  ],
})
const BRANCH = 'svc/hello'

async function declared(at: Site): Promise<string> {
  const { id } = (await at.post('/experiments', BODY)).body
  await at.reaches(id, 'pr_open')
  return id
}

/** People commit the branch to main as one commit of theirs, with other contents of some files. */
function squash(at: Site, files: Readonly<Record<string, string | null>>): void {
  const { work, git } = at.repository
  const written = git('diff-tree', '-r', '--no-renames', '--name-only', 'main', BRANCH).split('\n')
  work('fetch', '-q', 'origin')
  const texts = written.map((path) => [path, `${git('show', `${BRANCH}:${path}`)}\n`])
  at.repository.commit('main', { ...Object.fromEntries(texts), ...files }, 'A title of ours')
}

t.test(
  'a merge is recognised if edited, squashed under another title, or with its branch deleted',
  async (t) => {
    const at = await makeSite(api, t, { bare: true })
    const id = await declared(at)
    const page = `${at.repository.git('show', `${BRANCH}:index.html`)}\n`
    squash(at, { 'index.html': page.replace('Hello', 'Hello there'), 'new.css': null })
    at.repository.deleteBranch(BRANCH)
    t.match(await at.reaches(id, 'ready'), { pullRequest: { state: 'merged' } })
  },
)

t.test('an experiment whose merge was reverted is not ready', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const id = await declared(at)
  const { work } = at.repository
  work('fetch', '-q', 'origin')
  work('checkout', '-q', '-B', 'main', 'origin/main')
  work('merge', '-q', '--no-ff', '-m', 'Merge', `origin/${BRANCH}`)
  work('revert', '--no-edit', '-m', '1', 'HEAD')
  work('push', '-q', 'origin', 'main')
  t.match(await at.reaches(id, 'rejected'), { rejectedStage: 'pr', pullRequest: { state: 'closed' } })
})

interface ReadyView extends PlannedView {
  readonly readiness: { readonly canStart: boolean; readonly checks: readonly Record<string, unknown>[] }
}

t.test('a start needs the manifest, the helper and its references in the base branch', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const id = await declared(at)
  at.repository.bringIn(BRANCH, 'merge')
  await at.reaches(id, 'ready')
  const merged = at.repository.git('rev-parse', 'main')
  const check = async () => {
    const { readiness } = (await at.get(id)) as ReadyView
    return [readiness.canStart, readiness.checks.find(({ code }) => code === 'code_in_base')?.message]
  }
  t.strictSame(await check(), [true, 'The code of the experiment is in the base branch'])
  for (const [files, message] of [
    [
      { '.svc/experiments/hello.json': null },
      /lacks \.svc\/experiments\/hello\.json: merge the pull request/,
    ],
    [{ 'svc-experiments.js': null }, /lacks the helper svc-experiments\.js: restore it/],
    [{ 'index.html': PAGE }, /^index\.html in the base branch does not load the helper/],
  ] as const) {
    at.repository.git('update-ref', 'refs/heads/main', merged)
    at.repository.commit('main', files)
    const [canStart, said] = await check()
    t.equal(canStart, false)
    t.match(said, message)
    const refused = await at.post(`/experiments/${id}/start`)
    t.match(refused, { status: 409, body: { code: 'ILLEGAL_TRANSITION' } })
  }
  at.repository.git('update-ref', 'refs/heads/main', merged)
  at.repository.commit('main', {
    'svc-experiments.js': null,
    'js/svc-experiments.js': `${at.repository.git('show', 'main:svc-experiments.js')}\n`,
  })
  t.equal((await at.post(`/experiments/${id}/start`)).status, 200, 'people may move the helper')
})
