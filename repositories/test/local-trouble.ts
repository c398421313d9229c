import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { localHost } from '../local/host.js'
import type { RepositoryHost } from '../port.js'
import { changeOf, failureOf } from './support/contract.js'
import {
  gitAsPeople,
  gitBytes,
  makeRepository,
  type TestRepository,
  temporaryFolder,
} from './support/git-repository.js'

const FILES = { 'index.html': '<p>One</p>\n<p>Two</p>\n', 'src/app.ts': 'app\n' }

function made(t: Test, options: Parameters<typeof makeRepository>[1] = {}) {
  const repository = makeRepository(t, { files: FILES, ...options })
  return { repository, host: localHost({ path: repository.path, branch: 'main' }) }
}

async function propose(host: RepositoryHost, repository: TestRepository, text = '<p>Uno</p>\n<p>Two</p>\n') {
  const change = changeOf(repository.git('rev-parse', 'main'), {
    files: [{ path: 'index.html', content: Buffer.from(text) }],
  })
  const { commit } = await host.createBranch(change)
  return { branch: change.branch, operation: change.operation, commit, number: null }
}

/** A folder with a program named git. */
function gitThat(t: Test, script: string): string {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  return folder
}

const REAL_GIT = String(execFileSync('sh', ['-c', 'command -v git'])).trim()

/** Every file and folder below a git directory. */
function insideOf(gitDir: string): { readonly path: string; readonly mode: number; readonly uid: number }[] {
  return readdirSync(gitDir, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { mode, uid } = statSync(join(gitDir, path))
    return { path, mode, uid }
  })
}

t.test(
  'files that git writes keep the permissions of the repository, whatever the umask of svc',
  async (t) => {
    const { repository, host } = made(t)
    const before = process.umask(0o077)
    t.teardown(() => process.umask(before))
    chmodSync(join(repository.path, '.git'), 0o755)
    await propose(host, repository)
    const closed = insideOf(join(join(repository.path, '.git'), 'objects')).filter(
      ({ mode }) => (mode & 0o044) !== 0o044,
    )
    t.same(closed, [])
  },
)

const isRoot = process.getuid?.() === 0

t.test('as root, git writes as the owner', { skip: isRoot ? false : 'optional: not root' }, async (t) => {
  const { repository, host } = made(t)
  const nobody = 65_534
  const change = changeOf(repository.git('rev-parse', 'main'), {
    files: [{ path: 'index.html', content: Buffer.from('<p>Uno</p>') }],
  })
  execFileSync('chown', ['-R', `${nobody}:${nobody}`, repository.path])
  chmodSync(dirname(repository.path), 0o755)
  await host.createBranch(change)
  t.same(
    insideOf(join(repository.path, '.git')).filter(({ uid }) => uid !== nobody),
    [],
  )
})

t.test('errors name the cause and the remedy', async (t) => {
  const { repository, host } = made(t)
  const checked = async (options: Partial<Parameters<typeof localHost>[0]>, code: string, message: RegExp) =>
    t.match(await localHost({ path: repository.path, branch: 'main', ...options }).check(), {
      ok: false,
      code,
      message,
    })
  await checked({ path: join(repository.path, 'gone') }, 'unavailable', /is not there: mount or move it back/)
  mkdirSync(join(repository.path, 'inside'))
  await checked({ path: join(repository.path, 'inside') }, 'not_found', /no git repository/)
  await checked({ path: join(repository.path, 'index.html') }, 'not_found', /no git repository/)
  await checked({ path: 'relative' }, 'invalid', /no absolute path/)
  await checked({ branch: 'gone' }, 'gone', /there is no branch gone/)
  await checked({ searchPath: temporaryFolder(t) }, 'unsupported', /install git 2.30 or later/)
  await checked({ searchPath: gitThat(t, 'echo git version 2.29.3') }, 'unsupported', /2\.29\.3 is too old/)
  const empty = makeRepository(t)
  await checked({ path: empty.path }, 'empty', /commit something to main/)
  t.match(await localHost({ path: repository.path }).check(), { ok: true, branch: 'main' })
  repository.git('checkout', '-q', '--detach')
  await checked({ branch: undefined }, 'invalid', /name the base branch with --branch/)
  t.match(await host.check(), { ok: true })
  repository.git('branch', '-m', 'main', 'trunk')
  t.match(await failureOf(host.head()), { code: 'gone', retryable: false })
  renameSync(repository.path, `${repository.path}-away`)
  t.match(await failureOf(host.head()), { code: 'unavailable', retryable: true })
})

t.test('nothing of a repository is executed, and nothing that people see of it is touched', async (t) => {
  const { repository, host } = made(t)
  const { path } = repository
  const ran = join(dirname(path), 'ran')
  const script = join(dirname(path), 'script')
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${ran}'\ncat 2>/dev/null\n`)
  chmodSync(script, 0o755)
  const hooks = join(path, '.git', 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const hook of [
    'reference-transaction',
    'pre-commit',
    'post-commit',
    'post-index-change',
    'commit-msg',
    'update',
  ])
    writeFileSync(join(hooks, hook), readFileSync(script), { mode: 0o755 })
  writeFileSync(join(path, '.gitattributes'), '* filter=evil diff=evil merge=evil\n')
  mkdirSync(join(path, '.git', 'info'), { recursive: true })
  writeFileSync(join(path, '.git', 'info', 'attributes'), '* filter=evil diff=evil merge=evil\n')
  for (const key of [
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'core.sshCommand',
    'core.askPass',
    'core.alternateRefsCommand',
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'diff.external',
    'diff.evil.command',
    'diff.evil.textconv',
    'merge.evil.driver',
    'gpg.program',
    'credential.helper',
    'alias.ls-tree',
  ])
    repository.git('config', key, key.startsWith('alias') ? `!${script}` : script)
  for (const key of ['commit.gpgSign', 'filter.evil.required', 'core.splitIndex', 'log.showSignature'])
    repository.git('config', key, 'true')
  writeFileSync(join(path, 'index.html'), 'not committed\n')
  const index = readFileSync(join(path, '.git', 'index'))
  rmSync(ran, { force: true })

  const known = await propose(host, repository)
  t.match(await host.check(), { ok: true })
  t.match(await host.pullRequest(known), { state: 'open' })
  const head = await host.head()
  await host.compare(head, known.commit)
  for await (const blob of host.readBlobs([(await host.tree(head))[0]?.id ?? ''], { maxBlobBytes: 100 }))
    t.equal(blob.state, 'read')
  await host.poll(undefined)
  const signed = repository
    .git('cat-file', 'commit', known.commit)
    .replace(
      /^committer .*$/m,
      '$&\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----',
    )
  writeFileSync(join(path, 'signed'), `${signed}\n`)
  const tip = repository.git('hash-object', '-t', 'commit', '-w', '--no-filters', 'signed')
  repository.git('-c', 'core.hooksPath=/dev/null', 'update-ref', `refs/heads/${known.branch}`, tip)
  rmSync(ran, { force: true })
  await host.deleteBranch({ ...known, author: { name: 'svc', email: 'svc@test' } })
  t.equal(existsSync(ran), false)
  // With filters, this would be the filter's output.
  t.equal(
    repository.git('-c', 'core.hooksPath=/dev/null', 'cat-file', 'blob', `${known.commit}:index.html`),
    '<p>Uno</p>\n<p>Two</p>',
  )

  t.equal(Buffer.compare(readFileSync(join(path, '.git', 'index')), index), 0)
  t.equal(readFileSync(join(path, 'index.html'), 'utf8'), 'not committed\n')
  t.equal(readFileSync(join(path, '.git', 'HEAD'), 'utf8'), 'ref: refs/heads/main\n')
  repository.git('update-ref', 'refs/heads/seen', head)
  t.equal(existsSync(ran), true, 'the same by people runs the hooks, so the test can see it')
})

t.test('a branch that refers to the base branch is not deleted through', async (t) => {
  const { repository, host } = made(t, { bare: true })
  const known = await propose(host, repository)
  repository.git('update-ref', 'refs/heads/main', known.commit)
  repository.git('symbolic-ref', `refs/heads/${known.branch}`, 'refs/heads/main')
  await host.deleteBranch({ ...known, author: changeOf(known.commit, { files: [] }).author })
  t.equal(repository.git('rev-parse', 'refs/heads/main'), known.commit)
})

t.test('a stale lock file and a full disk are reported as retryable', async (t) => {
  const { repository, host } = made(t)
  const lock = join(repository.path, '.git', 'refs', 'heads', 'svc', 'button.lock')
  mkdirSync(dirname(lock), { recursive: true })
  writeFileSync(lock, '')
  const locked = await failureOf(propose(host, repository))
  t.match(locked, { code: 'locked', retryable: true })
  t.ok(locked?.message.includes(lock), 'it names the file')
  rmSync(lock)
  // Writes fail in the same way, at the same places.
  const full = localHost({
    path: repository.path,
    branch: 'main',
    searchPath: `${gitThat(t, `trap '' XFSZ\nulimit -f 0\nexec ${REAL_GIT} "$@"`)}:/usr/bin:/bin`,
  })
  t.match(await failureOf(propose(full, repository)), {
    code: 'disk_full',
    retryable: true,
    message: /make room/,
  })
  t.match(await propose(host, repository), { branch: 'svc/button' }, 'and it goes on')
})

t.test('a hanging git process is killed', async (t) => {
  const { repository } = made(t)
  const host = localHost({
    path: repository.path,
    branch: 'main',
    searchPath: `${gitThat(t, 'exec sleep 60')}:/usr/bin:/bin`,
    timeoutMs: 200,
  })
  t.match(await failureOf(host.head()), { code: 'timeout', retryable: true })
})

t.test('odd names and kinds of files are reported and stay unchanged', async (t) => {
  const { repository, host } = made(t, { bare: true })
  const blob = repository.git('rev-parse', 'main:index.html')
  const commit = repository.git('rev-parse', 'main')
  const record = (mode: string, id: string, path: Buffer) =>
    Buffer.concat([Buffer.from(`${mode} ${id}\t`), path, Buffer.from([0])])
  const records = Buffer.concat([
    record('100644', blob, Buffer.from('line\nbreak "and" more.html')),
    record('100644', blob, Buffer.from([0x6e, 0xff, 0x2e, 0x68])),
    record('100644', blob, Buffer.from('src/App.ts')),
    record('120000', blob, Buffer.from('link')),
    record('160000', commit, Buffer.from('module')),
  ])
  gitAsPeople(repository.workPath, ['update-index', '-z', '--index-info'], records)
  const tree = gitAsPeople(repository.workPath, ['write-tree'])
  const odd = gitAsPeople(repository.workPath, ['commit-tree', '-p', commit, '-m', 'Odd', tree])
  repository.work('push', '-q', 'origin', `${odd}:refs/heads/main`)

  const entries = new Map((await host.tree(odd)).map((entry) => [entry.path, entry]))
  t.match(entries.get('line\nbreak "and" more.html'), { kind: 'file', unreadableName: false })
  t.match(entries.get('n\ufffd.h'), { kind: 'file', unreadableName: true })
  t.match(entries.get('link'), { kind: 'symlink' })
  t.match(entries.get('module'), { kind: 'submodule', id: commit, size: undefined })
  t.ok(entries.has('src/App.ts') && entries.has('src/app.ts'))
  for (const path of ['link', 'link/x', 'module/x', 'module', 'n\ufffd.h', 'SRC/new.ts'])
    t.match(
      await failureOf(host.createBranch(changeOf(odd, { files: [{ path, content: Buffer.from('x') }] }))),
      { code: 'invalid' },
      path,
    )
  const known = await propose(host, repository)
  const listed = (of: string) =>
    gitBytes(repository.path, ['ls-tree', '-r', '-z', of]).toString('latin1').split('\0')
  const before = listed(odd)
  t.same(
    listed(known.commit)
      .filter((line) => !before.includes(line))
      .map((line) => line.slice(line.indexOf('\t') + 1)),
    ['index.html'],
  )
})

t.test('squash and rebase merges are recognised, and similar histories are not', async (t) => {
  const { repository, host } = made(t, { bare: true })
  const start = repository.git('rev-parse', 'main')
  const reset = () => {
    repository.git('update-ref', 'refs/heads/main', start)
    if (repository.git('branch', '--list', 'svc/button') !== '') repository.deleteBranch('svc/button')
  }

  let known = await propose(host, repository)
  repository.bringIn('svc/button', 'fast-forward')
  repository.commit('main', { 'src/app.ts': 'later\n' })
  t.match(await host.pullRequest(known), { state: 'merged', mergeCommit: known.commit }, 'a fast-forward')

  reset()
  known = await propose(host, repository)
  const message = repository.git('log', '-1', '--format=%B', known.commit)
  repository.deleteBranch('svc/button')
  const resolved = repository.commit(
    'main',
    { 'index.html': '<p>Uno!</p>\n' },
    `Squashed:\n\n    ${message.replaceAll('\n', '\n    ')}`,
  )
  t.match(
    await host.pullRequest(known),
    { state: 'merged', mergeCommit: resolved },
    'a squash resolved otherwise',
  )

  reset()
  known = await propose(host, repository)
  repository.work('fetch', '-q', 'origin')
  repository.work('checkout', '-q', '-f', '--no-track', '-B', 'svc/button', 'origin/svc/button')
  repository.work('commit', '-q', '--amend', '--no-edit', '--date=2026-11-21T00:00:00Z')
  repository.work('push', '-q', '-f', 'origin', 'svc/button')
  t.match(await host.pullRequest(known), { state: 'open' }, 'amended')
  repository.bringIn('svc/button', 'fast-forward')
  repository.deleteBranch('svc/button')
  t.match(
    await host.pullRequest(known),
    { state: 'merged' },
    'amended, brought in and deleted between two looks',
  )

  reset()
  known = await propose(host, repository)
  const squash = repository.bringIn('svc/button', 'squash')
  repository.commit('main', { 'index.html': FILES['index.html'] }, 'Revert it')
  t.match(await host.pullRequest(known), { state: 'merged', mergeCommit: squash }, 'taken back since')

  reset()
  const two = changeOf(start, {
    files: ['index.html', 'src/app.ts'].map((path) => ({ path, content: Buffer.from(`${path} anew\n`) })),
  })
  known = { ...two, commit: (await host.createBranch(two)).commit, number: null }
  repository.commit('main', { 'index.html': 'index.html anew\n' })
  t.match(await host.pullRequest(known), { state: 'open' }, 'half of it')
  repository.commit('main', { 'src/app.ts': 'src/app.ts anew\n' })
  t.match(await host.pullRequest(known), { state: 'merged' }, 'in two commits')

  for (const how of ['squash', 'rebase'] as const) {
    reset()
    known = await propose(host, repository)
    repository.deleteBranch('svc/button')
    repository.commit('svc/button', { 'index.html': '<p>Reworked</p>\n' })
    repository.commit('svc/button', { 'src/app.ts': 'reworked\n' })
    const { head } = await host.pullRequest(known)
    const brought = repository.bringIn('svc/button', how)
    repository.commit('main', { 'index.html': 'later\n', 'src/app.ts': 'later\n' })
    repository.deleteBranch('svc/button')
    t.match(
      await host.pullRequest({ ...known, head }),
      { state: 'merged', mergeCommit: brought },
      `reworked, ${how}`,
    )
  }

  reset()
  known = await propose(host, repository)
  repository.commit('main', { 'index.html': '<p>Due</p>\n' }, 'Other work on the same file, svc/button')
  t.match(await host.pullRequest(known), { state: 'open' }, 'other work')
  repository.git('update-ref', 'refs/heads/svc/button', repository.git('rev-parse', 'main'))
  t.match(await host.pullRequest(known), { state: 'open' }, 'moved onto the base branch without its change')
  repository.git('branch', '-m', 'svc/button', 'svc/renamed')
  t.match(await host.pullRequest(known), { state: 'closed' }, 'renamed')
  repository.git(
    'update-ref',
    'refs/heads/main',
    repository.git('commit-tree', '-m', 'Anew', `${start}^{tree}`),
  )
  t.match(await host.pullRequest(known), { state: 'closed' }, 'the base branch was begun anew')
  repository.git('branch', '-D', '-q', 'main')
  t.match(await failureOf(host.pullRequest(known)), { code: 'gone' }, 'without a base branch nothing is said')
})

t.test('a shallow clone is enough', async (t) => {
  const { repository } = made(t, { bare: true })
  repository.commit('main', { 'x.txt': '1\n' })
  const path = join(dirname(repository.path), 'shallow')
  gitAsPeople(dirname(path), ['clone', '-q', '--depth=1', `file://${repository.path}`, path])
  const host = localHost({ path, branch: 'main' })
  t.match(await host.check(), { ok: true })
  const base = await host.head()
  const change = changeOf(base)
  const { commit } = await host.createBranch(change)
  const known = { ...change, commit, number: null }
  t.match(await host.pullRequest(known), { state: 'open' })
  t.match(await host.compare(repository.git('rev-parse', 'main^'), base), { files: [], complete: false })
  gitAsPeople(path, ['merge', '-q', '--no-ff', '-m', 'Merge', 'svc/button'])
  t.match(await host.pullRequest(known), { state: 'merged' })
})
