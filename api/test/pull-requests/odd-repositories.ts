import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { withDatabase } from '../../../postgres/test/support/database.js'
import {
  gitAsPeople,
  gitBytes,
  makeRepository,
  type TestRepository,
  temporaryFolder,
} from '../../../repositories/test/support/git-repository.js'
import { startGitHubServer } from '../../../repositories/test/support/github-server.js'
import { mountSmallDisk } from '../../../test/support/outage/small-disk.js'
import { makeWorkspace, type TestWorkspace } from '../support/api.js'
import { send } from '../support/client.js'
import { experimentBody, putExperiment } from '../support/experiments.js'
import { connectTo, type PlannedView, until } from '../support/repository.js'
import { noClickHouse, startStage } from '../support/stage.js'

/**
 * Unusual and broken repositories, over HTTP alone: every error names the problem, and nothing stays stuck.
 */
const { sql } = await withDatabase(t)
const secretKey = Buffer.alloc(32, 7)
const stage = await startStage({ sql, clickhouse: noClickHouse, secretKey })
t.teardown(() => stage.stop())
const url = stage.url ?? ''

const FILES = { 'a.css': 'one\n', 'b/c.css': 'two\n' }
const edit = (path: string, find = 'one') => ({ path, action: 'modify', edits: [{ find, replace: 'three' }] })

interface Answer {
  readonly status: number
  readonly body: PlannedView & { code: string; message: string; details: { path: string; message: string }[] }
}

function asker({ key }: TestWorkspace, at = url) {
  const ask = async (method: string, path: string, body?: object) =>
    (await send(at, method, `/v1${path}`, { key, ...(body && { body }) })) as unknown as Answer
  const look = async (of: string) => (await ask('GET', `/experiments/${of}/status`)).body
  return {
    ask,
    look,
    declare: (of: string, ...changes: object[]) =>
      ask('POST', '/experiments', experimentBody({ key: of, changes })),
    reaches: (of: string, status: string) =>
      until(
        () => look(of),
        (row) => row.status === status,
      ),
  }
}

let workspaces = 0

async function connected(location: string, branch: string | null = null) {
  const workspace = await makeWorkspace(sql, secretKey, `Odd ${++workspaces}`)
  await connectTo({ sql, secretKey }, workspace, { location, branch, allow: ['**'] })
  return { workspace, ...asker(workspace) }
}

async function site(t: Test, options: Parameters<typeof makeRepository>[1] = {}) {
  const repository = makeRepository(t, { files: FILES, bare: true, ...options })
  return { repository, ...(await connected(repository.path)) }
}

/** Approved before there is a repository, so that the response does not wait for its pull request. */
async function approved(workspace: TestWorkspace, key: string): Promise<void> {
  await putExperiment({ sql, clock: { now: () => Date.now() } }, workspace, 'approved', {
    key,
    changes: [{ path: 'a.css', action: 'modify', edits: [{ find: 'one', replace: 'three' }] }],
  })
}

const tryNow = (workspace: TestWorkspace) =>
  sql`update jobs set run_at = now() where failed_at is null and workspace_id = ${workspace.id}`

/** Resolves with the error once the pull request has failed and is to be retried. */
const triedInVain = (workspace: TestWorkspace) =>
  until(
    async () => {
      const [job] = await sql<{ retrying: boolean; message: string | null }[]>`
        select attempt > 0 and lock_token is null as retrying, last_error as message from jobs
        where queue = 'pull-request' and workspace_id = ${workspace.id}`
      return job
    },
    (job) => job?.retrying === true,
  )

const refsOf = ({ git }: TestRepository) => git('for-each-ref', '--format=%(refname:lstrip=2)').split('\n')

t.test('an empty repository is reported until it has a commit', async (t) => {
  const repository = makeRepository(t, { bare: true })
  const { declare, reaches } = await connected(repository.path)
  t.match(await declare('early', edit('a.css')), {
    status: 409,
    body: { code: 'REPOSITORY_NOT_CONNECTED', message: /has no commit yet: commit something to main/ },
  })
  repository.commit('main', FILES)
  t.match(await declare('early', edit('a.css')), { status: 201, body: { status: 'pr_open' } })
  repository.bringIn('svc/early', 'squash')
  await reaches('early', 'ready')
})

t.test('a shallow clone is accepted', async (t) => {
  const origin = makeRepository(t, { files: FILES, bare: true })
  origin.commit('main', { 'more.css': 'more\n' })
  const path = join(temporaryFolder(t), 'shallow')
  gitAsPeople(dirname(path), ['clone', '-q', '--depth=1', `file://${origin.path}`, path])
  const { declare, reaches } = await connected(path)
  t.match(await declare('shallow', edit('a.css')), { status: 201, body: { status: 'pr_open' } })
  gitAsPeople(path, ['merge', '-q', '--no-ff', '-m', 'Merge', 'svc/shallow'])
  await reaches('shallow', 'ready')
})

t.test('a partial clone is refused with the reason', async (t) => {
  const origin = makeRepository(t, { files: FILES, bare: true })
  origin.git('config', 'uploadpack.allowFilter', 'true')
  const path = join(temporaryFolder(t), 'partial')
  const clone = ['clone', '-q', '--bare', '--filter=blob:none', `file://${origin.path}`, path]
  gitAsPeople(dirname(path), clone)
  const { declare } = await connected(path)
  const reason = /partial clone, which lacks the content of files: connect a full clone/
  t.match(await declare('partial', edit('a.css')), {
    status: 409,
    body: { code: 'REPOSITORY_NOT_CONNECTED', message: reason },
  })
})

t.test('a branch named svc is reported, because it blocks all branches below svc/', async (t) => {
  const { repository, declare } = await site(t)
  repository.git('branch', 'svc', 'main')
  t.match(await declare('blocked', edit('a.css')), {
    status: 201,
    body: { status: 'pr_failed', pullRequest: { error: /branch .*svc stands in the way/ } },
  })
})

t.test('file names that Windows cannot check out are refused', async (t) => {
  const { declare } = await site(t)
  const create = (path: string) => ({ path, action: 'create', content: 'x' })
  for (const path of ['ab:c.css', 'why?.css', 'new"/a.css', 'b/aux.css', 'b/nul', 'a.css.'])
    t.match(
      await declare('refused', create(path)),
      { status: 400, body: { details: [{ message: /Windows|other systems/ }] } },
      path,
    )
  for (const key of ['con', 'aux', 'com1', 'nul'])
    t.match(await declare(key), { status: 400, body: { details: [{ path: '/key' }] } }, key)
})

t.test(
  'links, submodules, LFS and unwritable names are refused, and other odd names are written',
  async (t) => {
    const { repository, declare, ask } = await site(t, {
      files: {
        ...FILES,
        'with space "and quotes".css': 'one\n',
        '-rf': 'one\n',
        'README.md': 'one\n',
        'video.mp4': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`,
      },
    })
    const blob = repository.git('rev-parse', 'main:a.css')
    const commit = repository.git('rev-parse', 'main')
    const record = (mode: string, id: string, name: Buffer) =>
      Buffer.concat([Buffer.from(`${mode} ${id}\t`), name, Buffer.from([0])])
    const records = Buffer.concat([
      record('100644', blob, Buffer.from('line\nbreak.css')),
      record('100644', blob, Buffer.from([0x6e, 0xff, 0x2e, 0x74])),
      record('100644', blob, Buffer.from('readme.md')),
      record('120000', blob, Buffer.from('link')),
      record('160000', commit, Buffer.from('module')),
    ])
    repository.work('fetch', '-q', 'origin')
    gitAsPeople(repository.workPath, ['update-index', '-z', '--index-info'], records)
    const odd = repository.work('commit-tree', '-p', commit, '-m', 'Odd', repository.work('write-tree'))
    repository.work('push', '-q', 'origin', `${odd}:refs/heads/main`)
    for (const [change, message] of [
      [edit('link'), /it is a symbolic link/],
      [{ path: 'link/new.css', action: 'create', content: 'x' }, /link is a symbolic link/],
      [{ path: 'module/new.css', action: 'create', content: 'x' }, /module is a submodule/],
      [{ path: 'module', action: 'delete' }, /it is a submodule/],
      [edit('video.mp4', 'sha256'), /Git LFS/],
      [edit('line\nbreak.css'), /must be written like/],
      [edit('n\ufffd.t'), /no Unicode text/],
      [{ path: 'A.css', action: 'create', content: 'x' }, /differs from a.css in case alone/],
    ] as const)
      t.match(
        await declare('refused', change),
        { status: 400, body: { code: 'VALIDATION_FAILED', details: [{ message }] } },
        change.path,
      )
    t.strictSame(refsOf(repository), ['main'])
    const names = ['with space "and quotes".css', '-rf', 'README.md', 'readme.md']
    const made = await declare('named', ...names.map((name) => edit(name)))
    t.match(made, { status: 201, body: { status: 'pr_open' } })
    const listed = (of: string) =>
      gitBytes(repository.path, ['ls-tree', '-r', '-z', of]).toString('latin1').split('\0')
    const before = new Set(listed('main'))
    t.strictSame(
      listed('svc/named')
        .filter((line) => !before.has(line))
        .map((line) => line.slice(line.indexOf('\t') + 1))
        .sort(),
      [...names, '.svc/experiments/named.json'].sort(),
    )
    const { body } = await ask('GET', '/experiments/named')
    t.match(body.plan?.files[1], { path: '-rf', state: 'current', diff: /^diff --git a\/-rf b\/-rf\n/ })
  },
)

t.test('a base branch may be rewritten, renamed and created again', async (t) => {
  const { repository, workspace, declare, look, reaches, ask } = await site(t)
  const early = repository.git('rev-parse', 'main')
  const put = (key: string, path: string) =>
    putExperiment({ sql, clock: { now: () => Date.now() } }, workspace, 'proposed', {
      key,
      changes: [
        { path, action: 'modify', edits: [{ find: path === 'a.css' ? 'one' : 'two', replace: 'x' }] },
      ],
      snapshot: { commit: early, files: [{ path, blob: repository.git('rev-parse', `main:${path}`) }] },
    })
  await put('same', 'a.css')
  await put('other', 'b/c.css')
  await declare('open', edit('a.css'))
  // Force-pushed: another history with one of the files unchanged; the old commits are gone.
  const anew = repository.git(
    'commit-tree',
    '-m',
    'Anew',
    `${repository.commit('main', { 'b/c.css': 'two, but changed\n' })}^{tree}`,
  )
  repository.git('update-ref', 'refs/heads/main', anew)
  t.match((await ask('POST', '/experiments/other/approve', {})).body, { code: 'PROPOSAL_SNAPSHOT_STALE' })
  t.match(await ask('POST', '/experiments/same/approve', {}), { status: 200, body: { status: 'pr_open' } })
  t.equal(repository.git('rev-parse', 'svc/same^'), anew)
  t.match(await look('open'), { status: 'pr_open' })
  // Renamed: the repository's default branch changes with it.
  repository.git('branch', '-m', 'main', 'trunk')
  t.match(await declare('after', edit('a.css')), { status: 201, body: { status: 'pr_open' } })

  // A branch that was named explicitly does not follow a rename.
  await connectTo({ sql, secretKey }, workspace, { location: repository.path, branch: 'main' })
  t.match(await declare('never', edit('a.css')), {
    status: 409,
    body: { code: 'REPOSITORY_NOT_CONNECTED', message: /there is no branch main: make it again, or connect/ },
  })
  await sql`update repositories set next_poll_at = now() where workspace_id = ${workspace.id}`
  await until(
    async () =>
      (
        await sql<
          { failures: number }[]
        >`select failures from repositories where workspace_id = ${workspace.id}`
      )[0]?.failures ?? 0,
    (failures) => failures > 0,
  )
  t.match(
    await look('after'),
    { status: 'pr_open' },
    'nothing is said of pull requests without a base branch',
  )
  await connectTo({ sql, secretKey }, workspace, { location: repository.path, branch: 'trunk' })
  gitAsPeople(repository.workPath, ['fetch', '-q', 'origin', 'trunk', 'svc/after'])
  repository.git('update-ref', 'refs/heads/trunk', 'refs/heads/svc/after')
  await reaches('after', 'ready')
})

t.test('a protected branch fails the pull request with the reason', async (t) => {
  const github = await startGitHubServer(t, { files: FILES })
  github.protect(/^svc\//)
  const workspace = await makeWorkspace(sql, secretKey, 'Protected')
  const { fullName: location, url: baseUrl, token } = github
  await connectTo({ sql, secretKey }, workspace, { kind: 'github', location, baseUrl, token })
  t.match(await asker(workspace).declare('kept-out', edit('a.css')), {
    status: 201,
    body: {
      status: 'pr_failed',
      pullRequest: { state: 'failed', error: /rules of the repository refuse it/ },
    },
  })
})

t.test('a lock file of a killed git is reported, and work continues without it', async (t) => {
  const { repository, workspace, ask, reaches } = await site(t)
  const lock = join(repository.path, 'refs', 'heads', 'svc', 'locked.lock')
  mkdirSync(dirname(lock), { recursive: true })
  writeFileSync(lock, '')
  await approved(workspace, 'locked')
  t.match(await ask('POST', '/experiments/locked/generate-pr', {}), { status: 202 })
  t.match(await triedInVain(workspace), {
    message: new RegExp(`${lock}.*where no git is running, remove that file`),
  })
  rmSync(lock)
  await tryNow(workspace)
  await reaches('locked', 'pr_open')
})

t.test('a full disk is reported, and work continues once there is room', async (t) => {
  const folder = join(temporaryFolder(t), 'disk')
  const disk = mountSmallDisk(t, folder, 2)
  if (typeof disk === 'string')
    return void (await t.test(
      'a full disk is reported, and work continues once there is room',
      { skip: disk },
      async () => {},
    ))
  const path = join(folder, 'site')
  gitAsPeople(folder, [
    'clone',
    '-q',
    '--bare',
    '--template=',
    makeRepository(t, { files: FILES, bare: true }).path,
    path,
  ])
  const { workspace, ask, reaches } = await connected(path)
  disk.fill()
  await approved(workspace, 'full')
  t.match(await ask('POST', '/experiments/full/generate-pr', {}), { status: 202 })
  t.match(await triedInVain(workspace), { message: /disk of the repository is full: make room/ })
  disk.free()
  await tryNow(workspace)
  await reaches('full', 'pr_open')
  t.equal(gitAsPeople(path, ['fsck', '--no-dangling']), '')
})

t.test('two services share one repository, and only a branch of the same name collides', async (t) => {
  const { repository, declare, reaches } = await site(t)
  const other = await withDatabase(t)
  const beside = await startStage({ sql: other.sql, clickhouse: noClickHouse, secretKey })
  t.teardown(() => beside.stop())
  const workspace = await makeWorkspace(other.sql, secretKey, 'Beside')
  await connectTo({ sql: other.sql, secretKey }, workspace, { location: repository.path })
  const its = asker(workspace, beside.url ?? '')
  const both = await Promise.all([
    declare('mine', edit('a.css')),
    its.declare('theirs', edit('b/c.css', 'two')),
    declare('same', edit('a.css')),
    its.declare('same', edit('b/c.css', 'two')),
  ])
  t.strictSame(both.map(({ body }) => body.status).sort(), ['pr_failed', 'pr_open', 'pr_open', 'pr_open'])
  t.match(both.find(({ body }) => body.status === 'pr_failed')?.body.pullRequest, {
    error: /a branch svc\/same is there already and is not of this experiment/,
  })
  t.strictSame(refsOf(repository), ['main', 'svc/mine', 'svc/same', 'svc/theirs'])
  repository.bringIn('svc/theirs', 'squash')
  repository.bringIn('svc/mine', 'squash')
  await its.reaches('theirs', 'ready')
  await reaches('mine', 'ready')
})
