import type { Test } from 'tap'
import { RepositoryError } from '../../errors.js'
import { locateFiles } from '../../locate.js'
import type { BranchChange, KnownPullRequest, ReadBlob, RepositoryHost } from '../../port.js'
import type { TestRepository } from './git-repository.js'

/** A host with a repository of `FILES`, a second connection to it, and actions of people. */
export interface Bench {
  readonly host: RepositoryHost
  readonly other: RepositoryHost
  readonly people: Pick<TestRepository, 'commit' | 'git' | 'work'> & {
    /** Merges a pull request's branch, as people at the host do. */
    bringIn(branch: string, how: 'merge' | 'squash' | 'rebase'): string
    /** Rejects a pull request: locally by deleting its branch. */
    close(branch: string): void
    deleteBranch(branch: string): void
  }
}

export const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'index.html': '<h1>Hello</h1>\n<p>One</p>\n<p>Two</p>\n',
  'src/app.ts': "export const title = 'Buy'\n",
  'src/lib/money.ts': Array.from({ length: 30 }, (_, line) => `export const n${line} = ${line}\n`).join(''),
  'run.sh': '#!/bin/sh\n',
  'assets/logo.bin': Uint8Array.from({ length: 300 }, (_, index) => index % 256),
  'empty.txt': '',
  'with space "and quotes".txt': 'odd\n',
  '-rf': 'not an option\n',
  'video.mp4': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`,
}

const DATE = new Date('2026-11-20T10:00:00.400Z')

export function changeOf(base: string, more: Partial<BranchChange> = {}): BranchChange {
  return {
    branch: 'svc/button',
    base,
    message: 'Try another button\n\nFor Ada',
    author: { name: 'Ada <L>', email: 'ada@example.com' },
    date: DATE,
    operation: 'experiment:1',
    files: [{ path: 'index.html', content: Buffer.from('<h1>Hello</h1>\n<p>Uno</p>\n<p>Two</p>\n') }],
    ...more,
  }
}

export async function failureOf(promise: Promise<unknown>): Promise<RepositoryError | undefined> {
  try {
    await promise
  } catch (error) {
    if (error instanceof RepositoryError) return error
    throw error
  }
  return undefined
}

export async function allBlobs(blobs: AsyncIterable<ReadBlob>): Promise<ReadBlob[]> {
  const all: ReadBlob[] = []
  for await (const blob of blobs) all.push(blob)
  return all
}

/** The port's contract, for every adapter. */
export async function testContract(t: Test, makeBench: (t: Test) => Promise<Bench>): Promise<void> {
  await t.test('a commit is read', async (t) => {
    const { host, people } = await makeBench(t)
    t.match(await host.check(), { ok: true, code: undefined, branch: 'main' })
    t.equal(await host.branch(), 'main')
    const head = await host.head()
    t.equal(head, people.git('rev-parse', 'main'))
    const tree = await host.tree(head)
    t.same(tree.map((entry) => entry.path).sort(), Object.keys(FILES).sort())
    const byPath = new Map(tree.map((entry) => [entry.path, entry]))
    t.match(byPath.get('run.sh'), { kind: 'executable', size: 10, unreadableName: false })
    t.match(byPath.get('src/app.ts'), { kind: 'file', id: people.git('rev-parse', 'main:src/app.ts') })

    const ids = tree.map((entry) => entry.id)
    const read = await allBlobs(host.readBlobs([...ids, '0'.repeat(head.length)], { maxBlobBytes: 400 }))
    t.equal(read.length, new Set(ids).size + 1, 'each once')
    for (const [path, content] of Object.entries(FILES)) {
      const blob = read.find(({ id }) => id === byPath.get(path)?.id)
      if (Buffer.byteLength(content) > 400) t.equal(blob?.state, 'too_large', path)
      else if (blob?.state === 'read') {
        t.equal(Buffer.compare(blob.content, Buffer.from(content)), 0, path)
        t.equal(blob.lfsPointer, path === 'video.mp4')
      } else t.fail(path)
    }
    t.equal(read.at(-1)?.state, 'missing')
  })

  await t.test('the folders on the way to a path are listed, and no others', async (t) => {
    const { host } = await makeBench(t)
    const entries = await host.entries(await host.head(), [
      'src/lib/money.ts',
      'src/new/x.ts',
      'gone/y',
      '-rf',
    ])
    t.same(
      [...entries.keys()].sort(),
      [
        ...Object.keys(FILES).filter((path) => !path.includes('/')),
        'assets',
        'src',
        'src/app.ts',
        'src/lib',
        'src/lib/money.ts',
      ].sort(),
    )
    t.equal(entries.get('src')?.kind, 'folder')
    t.equal(entries.get('src/lib')?.kind, 'folder')
    t.equal(entries.get('run.sh')?.kind, 'executable')
  })

  await t.test('a branch with one commit is created once', async (t) => {
    const { host, other, people } = await makeBench(t)
    const base = await host.head()
    const change = changeOf(base, {
      files: [
        { path: 'index.html', content: Buffer.from('new\n') },
        { path: "src/deep/er/new 'file'.ts", content: Buffer.from([0, 1, 255, 10]) },
        { path: 'run.sh', content: Buffer.from('#!/bin/sh\nexit\n') },
        { path: 'tool', content: Buffer.from('x'), executable: true },
        { path: 'src/lib/money.ts', content: null },
      ],
    })
    const made = await Promise.all([host.createBranch(change), other.createBranch(change)])
    t.equal(made.filter((each) => each.created).length, 1, 'of two at once one makes it')
    const { commit } = made[0] ?? { commit: '' }
    t.equal(made[1]?.commit, commit)
    t.equal(people.git('rev-parse', 'svc/button'), commit)
    t.equal(people.git('rev-parse', 'svc/button^'), base)
    t.same(people.git('diff-tree', '-r', '--no-renames', '--name-status', base, commit).split('\n').sort(), [
      "A\tsrc/deep/er/new 'file'.ts",
      'A\ttool',
      'D\tsrc/lib/money.ts',
      'M\tindex.html',
      'M\trun.sh',
    ])
    const modes = people.git('ls-tree', '-r', commit)
    t.match(modes, /^100755 blob \S+\trun\.sh$/m, 'as executable as before')
    t.match(modes, /^100755 blob \S+\ttool$/m)
    t.equal(
      people.git('log', '-1', '--format=%an|%ae|%at|%cn|%ct|%B', commit),
      `Ada L|ada@example.com|${Math.floor(DATE.getTime() / 1000)}|Ada L|${Math.floor(DATE.getTime() / 1000)}|Try another button\n\nFor Ada\n\nSvc-Operation: experiment:1`,
    )
    t.equal(people.git('rev-parse', 'main'), base, 'the base branch stays')

    t.same(await other.createBranch(change), { commit, created: false })
    people.commit('svc/button', { 'index.html': 'newer\n' }, 'On top')
    people.commit('main', { 'index.html': 'elsewhere\n' })
    t.same(await host.createBranch(change), { commit, created: false }, 'found below what people pushed')
    for (const operation of ['experiment:10', 'experiment:', 'experiment.1']) {
      const refused = await failureOf(host.createBranch({ ...change, operation }))
      t.match(
        refused,
        { code: 'conflict', retryable: false, message: /svc\/button is there already/ },
        operation,
      )
    }
  })

  await t.test('a branch is written again only while it ends at the earlier commit', async (t) => {
    const { host, people } = await makeBench(t)
    const first = await host.createBranch(changeOf(await host.head()))
    const base = people.commit('main', { 'src/app.ts': 'elsewhere\n' })
    const again = changeOf(base, { message: 'Written again', replaces: first.commit })
    const second = await host.createBranch(again)
    t.ok(second.created)
    t.equal(people.git('rev-parse', 'svc/button'), second.commit)
    t.equal(people.git('rev-parse', 'svc/button^'), base)
    t.same(await host.createBranch(again), { commit: second.commit, created: false }, 'once')
    const pushed = people.commit('svc/button', { 'index.html': 'newer\n' })
    const third = changeOf(base, { message: 'Third', replaces: second.commit })
    t.same(await host.createBranch(third), { commit: second.commit, created: false })
    t.equal(people.git('rev-parse', 'svc/button'), pushed, 'what people pushed stays')
  })

  await t.test('a branch that was given up is deleted unless people have it', async (t) => {
    const { host, people } = await makeBench(t)
    const change = changeOf(await host.head())
    const branches = () => people.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')
    await host.deleteBranch(change)
    await host.createBranch(change)
    await host.deleteBranch({ ...change, operation: 'experiment:2' })
    t.equal(branches(), 'main\nsvc/button', 'it is of another operation')
    people.commit('svc/button', { 'index.html': 'newer\n' }, change.message)
    await host.deleteBranch(change)
    t.equal(branches(), 'main\nsvc/button', 'people pushed to it')
    people.deleteBranch('svc/button')
    await host.createBranch(change)
    await host.deleteBranch(change)
    t.equal(branches(), 'main')
    t.match(await host.createBranch(change), { created: true })
  })

  await t.test('a branch in the place of the folder of all branches is reported', async (t) => {
    const { host, people } = await makeBench(t)
    const base = await host.head()
    people.git('branch', 'svc')
    t.match(await host.check(), { ok: false, code: 'conflict', message: /branch svc .*rename/ })
    t.match(await failureOf(host.createBranch(changeOf(base))), { code: 'conflict', retryable: false })
    people.deleteBranch('svc')
    t.match(await host.check(), { ok: true })
  })

  await t.test('changes that cannot be written are refused before anything is created', async (t) => {
    const { host, people } = await makeBench(t)
    const base = await host.head()
    const write = (path: string, content: Uint8Array | null = Buffer.from('x')) =>
      failureOf(host.createBranch(changeOf(base, { files: [{ path, content }] })))
    for (const path of [
      '../x',
      '/x',
      '.git/config',
      'src/.GIT/x',
      'src',
      'src/app.ts/x',
      'a//b',
      '',
      'a:b',
      'x"y/z',
    ])
      t.match(await write(path), { code: 'invalid', retryable: false }, path)
    t.match(await write('nothing.txt', null), { code: 'invalid' }, 'nothing to delete')
    t.match(
      await write('index.html', Buffer.from(FILES['index.html'] ?? '')),
      { code: 'invalid' },
      'no change',
    )
    t.match(await failureOf(host.createBranch(changeOf(base, { branch: '-x' }))), { code: 'invalid' })
    t.match(await failureOf(host.createBranch(changeOf(base, { branch: 'a..b' }))), { code: 'invalid' })
    t.match(await failureOf(host.createBranch(changeOf('0'.repeat(base.length)))), { code: 'gone' })
    t.match(await failureOf(host.tree('HEAD')), { code: 'invalid' })
    t.match(await failureOf(host.tree('1'.repeat(base.length))), { code: 'gone' })
    people.git('branch', 'taken', base)
    t.match(await failureOf(host.createBranch(changeOf(base, { branch: 'taken' }))), { code: 'conflict' })
    t.match(await failureOf(host.createBranch(changeOf(base, { branch: 'taken/below' }))), {
      code: 'conflict',
    })
    t.equal(people.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main\nrefs/heads/taken')
  })

  /** A pull request of an experiment. */
  const opened = async (
    host: RepositoryHost,
    more: Partial<BranchChange> = {},
  ): Promise<KnownPullRequest> => {
    const change = changeOf(await host.head(), more)
    const { commit } = await host.createBranch(change)
    const { branch, operation } = change
    const text = { branch, operation, commit, title: 'Try another button', body: 'Because.' }
    const pull = await host.openPullRequest(text)
    return { branch, operation, commit, number: pull.number, head: pull.head }
  }

  await t.test('a pull request is opened once', async (t) => {
    const { host, other } = await makeBench(t)
    const known = await opened(host)
    t.match(await host.pullRequest(known), { state: 'open', mergeCommit: undefined, head: known.commit })
    t.same(await opened(other), known)
    const next = await opened(host, { branch: 'svc/other', operation: 'experiment:2' })
    if (known.number !== null) t.equal(next.number, known.number + 1)
    t.equal((await host.pullRequest({ ...known, number: null })).number, known.number, 'found by its branch')
  })

  for (const how of ['merge', 'squash', 'rebase'] as const)
    await t.test(`a ${how} is seen as merged, also after its branch is gone`, async (t) => {
      const { host, people } = await makeBench(t)
      const known = await opened(host)
      people.commit('svc/button', { 'src/app.ts': "export const title = 'Get'\n" }, 'A reviewer adds to it')
      people.commit('main', { 'other.txt': 'meanwhile\n' })
      const before = await host.pullRequest(known)
      t.match(before, { state: 'open' })
      t.not(before.head, known.commit, 'what was pushed since is known')
      const commit = people.bringIn('svc/button', how)
      const there = await host.pullRequest({ ...known, head: before.head })
      t.match(there, { state: 'merged', head: before.head, mergeCommit: commit })
      people.commit('main', { 'index.html': 'quite another page\n' })
      people.deleteBranch('svc/button')
      t.match(await host.pullRequest({ ...known, head: before.head }), { state: 'merged' })
      t.match(await host.openPullRequest({ ...known, title: 't', body: 'b' }), { state: 'merged' })
    })

  await t.test('a rejected or deleted branch is closed', async (t) => {
    const { host, people } = await makeBench(t)
    const known = await opened(host)
    people.commit('main', { 'index.html': 'meanwhile\n' })
    people.close('svc/button')
    const again = await host.openPullRequest({ ...known, title: 't', body: 'b' })
    t.match(again, { state: 'closed', number: known.number }, 'and not opened anew')
    t.match(await host.pullRequest(known), { state: 'closed', mergeCommit: undefined, head: known.commit })
    const next = await opened(host, {
      branch: 'svc/other',
      operation: 'experiment:2',
      files: [{ path: 'n', content: Buffer.from('') }],
    })
    people.deleteBranch('svc/other')
    t.match(await host.pullRequest(next), { state: 'closed' })
  })

  await t.test('a poll returns whether anything may have changed', async (t) => {
    const { host, other, people } = await makeBench(t)
    const first = await host.poll(undefined)
    t.equal(first.changed, true)
    t.same(await host.poll(first.token), { token: first.token, changed: false })
    const known = await opened(host)
    const second = await other.poll(first.token)
    t.equal(second.changed, true, 'opened')
    t.equal((await host.poll(second.token)).changed, false, 'a token is good everywhere')
    people.bringIn(known.branch, 'squash')
    const third = await host.poll(second.token)
    t.equal(third.changed, true, 'merged')
    people.commit('main', { 'x.txt': '1\n' })
    const fourth = await host.poll(third.token)
    t.equal(fourth.changed, true, 'the base branch went on')
    await opened(host, {
      branch: 'svc/other',
      operation: 'experiment:2',
      files: [{ path: 'n', content: Buffer.from('n') }],
    })
    const fifth = await host.poll(fourth.token)
    people.deleteBranch('svc/other')
    t.equal((await host.poll(fifth.token)).changed, true, 'its branch was deleted')
  })

  await t.test('moved files are found', async (t) => {
    const { host, people } = await makeBench(t)
    const from = await host.head()
    const blobs = new Map((await host.tree(from)).map((entry) => [entry.path, entry.id]))
    const files = ['index.html', 'src/app.ts', 'src/lib/money.ts', 'run.sh', 'empty.txt', '-rf'].map(
      (path) => ({
        path,
        blob: blobs.get(path) ?? null,
      }),
    )
    const created = { path: 'svc-experiments.js', blob: null }
    const taken = { path: 'assets/logo.bin', blob: null }
    t.same(
      (await locateFiles(host, { from, to: from, files: [...files, created, taken] })).map(
        ({ state }) => state,
      ),
      [...files.map(() => 'current'), 'current', 'changed'],
    )
    const money = String(FILES['src/lib/money.ts'])
    people.commit('main', {
      'index.html': 'changed\n',
      'src/lib/money.ts': null,
      'src/cash/money.ts': `${money}// one line more\n`,
      '-rf': null,
      'kept/-rf': FILES['-rf'] ?? '',
      'empty.txt': null,
      'src/app.ts': null,
    })
    const to = await host.head()
    const located = await locateFiles(host, { from, to, files })
    t.same(
      located.map(({ path, state, movedTo }) => [path, state, movedTo]),
      [
        ['index.html', 'changed', null],
        ['src/app.ts', 'gone', null],
        ['src/lib/money.ts', 'moved', 'src/cash/money.ts'],
        ['run.sh', 'current', null],
        ['empty.txt', 'gone', null],
        ['-rf', 'moved', 'kept/-rf'],
      ],
    )
    const compared = await host.compare(from, to)
    t.equal(compared.complete, true)
    t.match(
      compared.files.find((file) => file.path === 'src/cash/money.ts'),
      { status: 'renamed', previousPath: 'src/lib/money.ts' },
    )
    // The plan's commit is gone, so only the content can show moves.
    const lost = await locateFiles(host, { from: '2'.repeat(from.length), to, files })
    t.same(
      lost.map(({ state }) => state),
      ['changed', 'gone', 'gone', 'current', 'gone', 'moved'],
    )
  })

  await t.test('a cancelled call ends, and a closed host reports that it is closed', async (t) => {
    const { host } = await makeBench(t)
    t.match(await failureOf(host.head(AbortSignal.abort())), { code: 'cancelled' })
    await host.close()
    t.match(await failureOf(host.head()), { code: 'cancelled' })
    t.match(await host.check(), { ok: false })
  })
}
