import t from 'tap'
import { jobsOf, runNow } from '../../../management/jobs/test/support/jobs.js'
import { withApi } from '../support/api.js'
import { experimentBody, putExperiment } from '../support/experiments.js'
import { makeSite, PAGE, type Site, until } from '../support/repository.js'

const api = await withApi(t)

const edit = (key: string, find: string, replace: string) =>
  experimentBody({
    key,
    changes: [{ path: 'index.html', action: 'modify', edits: [{ find, replace, variant: 'treatment' }] }],
  })

/** Declares, merges and starts. */
async function running(at: Site, body: Record<string, unknown>): Promise<string> {
  const made = await at.post('/experiments', body)
  at.repository.bringIn(`svc/${String(body.key)}`, 'merge')
  await at.reaches(made.body.id, 'ready')
  await at.post(`/experiments/${made.body.id}/start`)
  return made.body.id
}

async function cleanedUp(at: Site, id: string): Promise<string> {
  const row = await until(
    () => at.get(id),
    ({ cleanupPullRequest }) => cleanupPullRequest?.state === 'open',
  )
  return row.cleanupPullRequest?.body ?? ''
}

t.test('two experiments in one page are removed separately, and the helper with the last one', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  await putExperiment(api, at.workspace, 'dismissed', { surfaces: [{ path: 'index.html', anchor: null }] })
  await api.sql`
    update experiments set dismissal = ${api.sql.json({ reasons: ['other'], note: 'Never\nshout @all', dismissedAt: '', personId: '' })}
    where workspace_id = ${at.workspace.id}`
  const one = await running(at, edit('one', 'Welcome', 'Hello'))
  const two = await running(at, edit('two', 'Buy now', 'Buy today'))
  t.match(
    at.repository.git('log', '--format=%B', 'main'),
    /Notes from the team on these files:\n- Never shout @all/,
  )
  // The page changes meanwhile.
  const page = at.repository.git('show', 'main:index.html')
  at.repository.commit('main', { 'index.html': null, 'shop/index.html': `${page}\n` })

  await at.post(`/experiments/${one}/ship`, { variant: 'treatment' })
  t.notMatch(await cleanedUp(at, one), /by hand\*\*/)
  at.repository.bringIn('svc/one-cleanup', 'squash')
  t.ok(at.repository.git('ls-tree', '-r', '--name-only', 'main').includes('svc-experiments.js'))
  await at.post(`/experiments/${two}/end`)
  await at.post(`/experiments/${two}/decide`, { outcome: 'reject', force: true })
  await cleanedUp(at, two)
  at.repository.bringIn('svc/two-cleanup', 'squash')
  t.equal(at.repository.git('show', 'main:shop/index.html'), PAGE.replace('Welcome', 'Hello').trimEnd())
  t.strictSame(at.repository.git('ls-tree', '-r', '--name-only', 'main').split('\n'), [
    'about.css',
    'old.css',
    'package.json',
    'shop/index.html',
  ])
})

t.test('a cleanup is written though git has collected what was squashed', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const made = await at.post('/experiments', edit('collected', 'Welcome', 'Hello'))
  at.repository.bringIn('svc/collected', 'squash')
  await at.reaches(made.body.id, 'ready')
  await at.post(`/experiments/${made.body.id}/start`)
  const written = at.repository.git('rev-parse', 'svc/collected')
  at.repository.deleteBranch('svc/collected')
  at.repository.git('reflog', 'expire', '--expire=now', '--all')
  at.repository.git('gc', '-q', '--prune=now')
  t.throws(() => at.repository.git('cat-file', '-e', written))
  await at.post(`/experiments/${made.body.id}/ship`, { variant: 'treatment' })
  t.notMatch(await cleanedUp(at, made.body.id), /by hand\*\*/)
  t.equal(
    at.repository.git('show', 'svc/collected-cleanup:index.html'),
    PAGE.replace('Welcome', 'Hello').trimEnd(),
  )
})

t.test('a cleanup keeps changes made by hand, and reports them', async (t) => {
  const at = await makeSite(api, t, { bare: false })
  const id = await running(at, edit('mine', 'Welcome', 'Hello'))
  const page = at.repository.git('show', 'main:index.html')
  at.repository.commit('main', {
    'index.html': `${page.replaceAll('Hello', 'Good morning').replaceAll('Welcome', 'Good evening')}\n`,
  })
  await at.post(`/experiments/${id}/ship`, { variant: 'treatment' })
  const body = await cleanedUp(at, id)
  t.match(body, /Please do by hand[\s\S]*index\.html/)
  t.match(body, /Requested by Owner of Test/)
  t.match(
    at.repository.git('log', '-1', '--format=%B', 'svc/mine-cleanup'),
    /Please do by hand[\s\S]*index\.html/,
  )
  t.match((await at.get(id)).pullRequest?.body, /Before you merge, once for all experiments/)
  t.notMatch(at.repository.git('show', 'svc/mine-cleanup:index.html'), /<{7}|>{7}/)
})

t.test('a word that people changed in the winning arm is kept, in a file with other line ends', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const id = await running(at, edit('word', 'Welcome', 'Hello there'))
  const page = `${at.repository.git('show', 'main:index.html')}\n`
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')
  at.repository.commit('main', { 'index.html': crlf(page.replace('Hello there', 'Hello you')) })
  await at.post(`/experiments/${id}/ship`, { variant: 'treatment' })
  t.notMatch(await cleanedUp(at, id), /by hand/)
  t.equal(
    `${at.repository.git('show', 'svc/word-cleanup:index.html')}\r\n`,
    crlf(PAGE.replace('Welcome', 'Hello you')),
  )
})

t.test('copies in other files are removed, and named if people changed them', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const id = await running(at, edit('copied', 'Welcome', 'Hello'))
  const page = `${at.repository.git('show', 'main:index.html')}\n`
  at.repository.commit('main', {
    'second/index.html': page,
    'third.html': page.replace('control=50', 'control=60'),
  })
  await at.post(`/experiments/${id}/ship`, { variant: 'treatment' })
  t.match(await cleanedUp(at, id), /Please do by hand[\s\S]*`third\.html`.*more code of the experiment/)
  const shipped = PAGE.replace('Welcome', 'Hello').trimEnd()
  for (const path of ['index.html', 'second/index.html'])
    t.equal(at.repository.git('show', `svc/copied-cleanup:${path}`), shipped, path)
})

t.test('a cleanup that failed is tried again', async (t) => {
  const at = await makeSite(api, t, { bare: true })
  const id = await running(at, edit('again', 'Welcome', 'Hello'))
  at.repository.git('branch', 'svc/again-cleanup', 'main')
  await at.post(`/experiments/${id}/ship`, { variant: 'treatment' })
  const failed = await until(
    () => at.get(id),
    (row) => row.cleanupPullRequest?.state === 'failed',
  )
  t.match(failed.cleanupPullRequest?.error, /is there already.*svc tries again until \d{4}-\d\d-\d\d$/)
  const waiting = (await jobsOf(api.sql, `${id} cleanup`)).filter(({ state }) => state === 'unclaimed')
  t.strictSame(
    waiting.map(({ seconds }) => Math.round(seconds / 3_600)),
    [1],
  )

  at.repository.git('branch', '-D', 'svc/again-cleanup')
  const moved = at.repository.commit('main', { 'other.css': 'later\n' })
  await runNow(api.sql, `${id} cleanup`)
  await cleanedUp(at, id)
  t.match(await at.get(id), { status: 'shipped', cleanupPullRequest: { error: null } })
  t.equal(at.repository.git('rev-parse', 'svc/again-cleanup~'), moved)
})
