import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { jobsOf } from '../../../management/jobs/test/support/jobs.js'
import { temporaryFolder } from '../../../repositories/test/support/git-repository.js'
import { withApi } from '../support/api.js'
import { experimentBody } from '../support/experiments.js'
import { makeSite, PAGE, type PlannedView, type Site, until } from '../support/repository.js'

const api = await withApi(t)

const edit = (key: string, path: string, find: string, replace: string) => ({
  ...experimentBody({
    changes: [{ path, action: 'modify', edits: [{ find, replace, variant: 'treatment' }] }],
  }),
  key,
})

const TEXTS = {
  'src/first.js':
    "export const first = () => 'Buy now'\n\nexport const title = 'Shop'\n\nexport const more = () => 'See more'\n",
  'src/second.js': "export const second = () => 'Sign up'\n",
}
const ONE = edit('one', 'src/first.js', "'Buy now'", "'Buy today'")
const SAME_FILE = edit('two', 'src/first.js', "'See more'", "'See all'")
const OTHER_FILE = edit('two', 'src/second.js', "'Sign up'", "'Join'")

async function siteWith(t: Test, files: Readonly<Record<string, string>>): Promise<Site> {
  const at = await makeSite(api, t, { bare: true })
  at.repository.commit('main', files)
  return at
}

async function merge(at: Site, id: string, branch: string): Promise<void> {
  at.repository.bringIn(branch, 'merge')
  await at.reaches(id, 'ready')
}

async function declare(at: Site, body: Record<string, unknown>): Promise<string> {
  const { id } = (await at.post('/experiments', body)).body
  await at.reaches(id, 'pr_open')
  return id
}

/** Declares an experiment, merges its pull request and starts it. Returns its id. */
async function start(at: Site, body: { readonly key: string }): Promise<string> {
  const id = await declare(at, body)
  await merge(at, id, `svc/${body.key}`)
  await at.post(`/experiments/${id}/start`)
  return id
}

/** Ships the treatment, and waits for the cleanup. */
async function ship(at: Site, id: string): Promise<void> {
  await at.post(`/experiments/${id}/ship`, { variant: 'treatment' })
  await until(
    () => at.get(id),
    (row) => row.cleanupPullRequest?.state === 'open',
  )
}

/**
 * A shipped experiment, a later one that runs, and the cleanup's commit from before the later one was
 * declared.
 */
async function withStaleCleanup(at: Site, first: { readonly key: string }, second: { readonly key: string }) {
  const one = await start(at, first)
  await ship(at, one)
  const cleanup = at.repository.git('rev-parse', 'svc/one-cleanup')
  return { one, two: await start(at, second), cleanup }
}

async function mergeCleanup(at: Site, id: string, key: string): Promise<void> {
  at.repository.bringIn(`svc/${key}-cleanup`, 'merge')
  await until(
    () => at.get(id),
    (row) => row.cleanupPullRequest?.state === 'merged',
  )
}

const filesOf = (at: Site, branch = 'main') =>
  at.repository.git('ls-tree', '-r', '--name-only', branch).split('\n')

/**
 * Builds the sources on main and returns the texts that a visitor without a state gets. Rejects if they
 * cannot be built or run.
 */
async function run(t: Test, at: Site): Promise<readonly string[]> {
  at.repository.work('fetch', '-q', 'origin')
  at.repository.work('checkout', '-q', '--detach', 'origin/main')
  const folder = temporaryFolder(t)
  const entry = join(folder, 'entry.js')
  const source = (name: string) => JSON.stringify(join(at.repository.workPath, 'src', name))
  await writeFile(
    entry,
    `import { first, more } from ${source('first.js')}\nimport { second } from ${source('second.js')}\n` +
      'export const texts = [first(), more(), second()]\n',
  )
  const outfile = join(folder, 'site.mjs')
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', logLevel: 'silent' })
  return (await import(outfile)).texts
}

for (const [where, second] of [
  ['another file', OTHER_FILE],
  ['the same file', SAME_FILE],
] as const) {
  t.test(`a cleanup keeps the code that a later merged experiment in ${where} needs`, async (t) => {
    const at = await siteWith(t, TEXTS)
    const one = await start(at, ONE)
    const two = await declare(at, second)
    await ship(at, one)
    await mergeCleanup(at, one, 'one')
    await merge(at, two, 'svc/two')
    t.strictSame(await run(t, at), ['Buy today', 'See more', 'Sign up'])

    await at.post(`/experiments/${two}/start`)
    await ship(at, two)
    await mergeCleanup(at, two, 'two')
    t.notOk(filesOf(at).some((path) => path.includes('svc')))
  })

  t.test(`a cleanup is written again for an experiment in ${where} declared after it`, async (t) => {
    const at = await siteWith(t, TEXTS)
    const one = await start(at, ONE)
    await ship(at, one)
    t.notOk(filesOf(at, 'svc/one-cleanup').includes('src/svc-experiments.js'))
    const two = await declare(at, second)
    await until(
      async () => filesOf(at, 'svc/one-cleanup'),
      (files) => files.includes('src/svc-experiments.js'),
    )
    await merge(at, two, 'svc/two')
    await at.post(`/experiments/${two}/start`)
    await mergeCleanup(at, one, 'one')
    t.strictSame(await run(t, at), ['Buy today', 'See more', 'Sign up'])
  })

  t.test(`an open pull request in ${where} is written again after a cleanup took its helper`, async (t) => {
    const at = await siteWith(t, TEXTS)
    const one = await start(at, ONE)
    await ship(at, one)
    const cleanup = at.repository.git('rev-parse', 'svc/one-cleanup')
    const two = await declare(at, second)
    // Someone brings in the cleanup as it was before.
    at.repository.git('branch', 'early', cleanup)
    at.repository.bringIn('early', 'merge')
    await until(
      async () => filesOf(at, 'svc/two'),
      (files) => files.includes('src/svc-experiments.js') && !files.includes('.svc/experiments/one.json'),
    )
    await merge(at, two, 'svc/two')
    t.strictSame(await run(t, at), ['Buy today', 'See more', 'Sign up'])
  })
}

t.test('a cleanup leaves the tags that an experiment on the same page needs', async (t) => {
  const page = PAGE.replace('    <p>', '    <hr>\n    <hr>\n    <hr>\n    <p>')
  const at = await siteWith(t, { 'index.html': page })
  const one = await start(at, edit('one', 'index.html', 'Welcome', 'Hello'))
  const two = await declare(at, edit('two', 'index.html', 'Buy now', 'Buy today'))
  await ship(at, one)
  await mergeCleanup(at, one, 'one')
  await merge(at, two, 'svc/two')
  t.match(
    at.repository.git('show', 'main:index.html'),
    /<script src="\/_svc\/state\.js"><\/script>[\s\S]*<script src="svc-experiments\.js"/,
  )
  t.ok(filesOf(at).includes('svc-experiments.js'))

  await at.post(`/experiments/${two}/start`)
  await ship(at, two)
  await mergeCleanup(at, two, 'two')
  t.equal(
    at.repository.git('show', 'main:index.html'),
    page.replace('Welcome', 'Hello').replace('Buy now', 'Buy today').trimEnd(),
  )
})

/** Merges the first version of a cleanup, after another experiment was merged that needs the removed code. */
async function breakBy(t: Test, at: Site, one: string, cleanup: string): Promise<PlannedView> {
  at.repository.git('branch', 'early', cleanup)
  at.repository.bringIn('early', 'merge')
  const broken = await until(
    () => at.get(one),
    (row) => /puts it back/.test(row.cleanupPullRequest?.error ?? ''),
  )
  t.match(broken.cleanupPullRequest, { state: 'merged', error: /Pull request \d+ \(svc\/one-repair\)/ })
  return broken
}

async function mergeRepair(at: Site, one: string): Promise<void> {
  at.repository.bringIn('svc/one-repair', 'merge')
  await until(
    () => at.get(one),
    (row) => row.cleanupPullRequest?.error === null,
  )
}

for (const [where, second] of [
  ['another file', OTHER_FILE],
  ['the same file', SAME_FILE],
] as const)
  t.test(`code that an old cleanup took from a running experiment in ${where} is put back`, async (t) => {
    const at = await siteWith(t, TEXTS)
    const { one, two, cleanup } = await withStaleCleanup(at, ONE, second)
    const before = filesOf(at)
    await breakBy(t, at, one, cleanup)
    await t.rejects(run(t, at), 'main does not build')
    await mergeRepair(at, one)
    t.strictSame(await run(t, at), ['Buy today', 'See more', 'Sign up'])
    t.strictSame(
      filesOf(at),
      before.filter((path) => path !== '.svc/experiments/one.json'),
    )
    const audit = await api.client.request<{ data: unknown[] }>('GET', '/audit?action=experiment.repair', {
      key: at.workspace.session,
    })
    t.match(audit.body.data, [{ resourceId: one, summary: /took away what other experiments need/ }])

    await ship(at, two)
    await mergeCleanup(at, two, 'two')
    t.notOk(filesOf(at).some((path) => path.includes('svc')))
    for (const path of Object.keys(TEXTS)) t.notMatch(at.repository.git('show', `main:${path}`), /variant/)
  })

t.test('tags that an old cleanup took from a running experiment on the page are put back', async (t) => {
  const page = PAGE.replace('    <p>', '    <hr>\n    <hr>\n    <hr>\n    <p>')
  const at = await siteWith(t, { 'index.html': page })
  const { one, two, cleanup } = await withStaleCleanup(
    at,
    edit('one', 'index.html', 'Welcome', 'Hello'),
    edit('two', 'index.html', 'Buy now', 'Buy today'),
  )
  await breakBy(t, at, one, cleanup)
  t.notMatch(at.repository.git('show', 'main:index.html'), /state\.js/)
  await mergeRepair(at, one)
  t.match(
    at.repository.git('show', 'main:index.html'),
    /<script src="\/_svc\/state\.js"><\/script>\s*<script src="svc-experiments\.js"/,
  )
  await ship(at, two)
  await mergeCleanup(at, two, 'two')
  t.equal(
    at.repository.git('show', 'main:index.html'),
    page.replace('Welcome', 'Hello').replace('Buy now', 'Buy today').trimEnd(),
  )
})

t.test('a repair that is not needed any more is withdrawn', async (t) => {
  const at = await siteWith(t, TEXTS)
  const { one, two, cleanup } = await withStaleCleanup(at, ONE, OTHER_FILE)
  await breakBy(t, at, one, cleanup)
  await ship(at, two)
  await mergeCleanup(at, two, 'two')
  await until(
    () => at.get(one),
    (row) => /was closed/.test(row.cleanupPullRequest?.error ?? ''),
  )
  t.notMatch(at.repository.git('for-each-ref'), /repair/)
  t.notOk(filesOf(at).some((path) => path.includes('svc')))
})

t.test('a helper that people moved is used at its new path and not written twice', async (t) => {
  const at = await siteWith(t, TEXTS)
  const one = await declare(at, ONE)
  await merge(at, one, 'svc/one')
  const [first, helper] = ['first.js', 'svc-experiments.js'].map((name) =>
    at.repository.git('show', `main:src/${name}`),
  )
  at.repository.commit('main', {
    'src/first.js': `${first?.replace('./svc-experiments', './lib/svc-experiments')}\n`,
    'src/svc-experiments.js': null,
    'src/lib/svc-experiments.js': `${helper}\n`,
  })
  const two = await declare(at, OTHER_FILE)
  await merge(at, two, 'svc/two')
  t.strictSame(
    filesOf(at).filter((path) => path.endsWith('svc-experiments.js')),
    ['src/lib/svc-experiments.js'],
  )
  t.match(at.repository.git('show', 'main:src/second.js'), /from '\.\/lib\/svc-experiments\.js'/)
  t.strictSame(await run(t, at), ['Buy now', 'See more', 'Sign up'])
  for (const [id, key] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    await at.post(`/experiments/${id}/start`)
    await ship(at, id)
    await mergeCleanup(at, id, key)
  }
  t.notOk(filesOf(at).some((path) => path.includes('svc')))
})

t.test('of two open cleanups the one that is merged last removes the helper', async (t) => {
  const at = await siteWith(t, TEXTS)
  const one = await declare(at, ONE)
  await merge(at, one, 'svc/one')
  const two = await declare(at, OTHER_FILE)
  await merge(at, two, 'svc/two')
  for (const id of [one, two]) await at.post(`/experiments/${id}/start`)
  for (const id of [one, two]) await ship(at, id)
  await mergeCleanup(at, two, 'two')
  await until(
    async () => filesOf(at, 'svc/one-cleanup'),
    (files) => !files.includes('src/svc-experiments.js'),
  )
  await mergeCleanup(at, one, 'one')
  t.notOk(filesOf(at).some((path) => path.includes('svc')))
})

t.test('a cleanup that people pushed to stays as it is', async (t) => {
  const at = await siteWith(t, TEXTS)
  const one = await start(at, ONE)
  await ship(at, one)
  const pushed = at.repository.commit('svc/one-cleanup', { 'about.css': 'Ours\n' })
  const two = await declare(at, OTHER_FILE)
  await until(
    () => jobsOf(api.sql, `${one} cleanup rewrite`),
    (jobs) => jobs.length === 0,
  )
  t.equal(at.repository.git('rev-parse', 'svc/one-cleanup'), pushed)
  t.match(await at.get(two), { status: 'pr_open' })
})
