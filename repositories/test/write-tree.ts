import t from 'tap'
import { localHost } from '../local/host.js'
import { gitAsPeople, gitBytes, makeRepository } from './support/git-repository.js'

t.test('a tree is written as git writes it, beside modes, names and folders of all sorts', async (t) => {
  const repository = makeRepository(t, {
    files: { 'a/b/c.txt': 'c\n', 'a/d.txt': 'd\n', 'z.sh': 'z\n' },
    bare: true,
  })
  const { path, git, workPath } = repository
  const blob = git('rev-parse', 'main:a/d.txt')
  const tree = git('rev-parse', 'main:a')
  // Modes of old tools, and names that are not UTF-8.
  const records = Buffer.concat([
    Buffer.from(`100644 blob ${blob}\ta-\0`),
    Buffer.from(`040000 tree ${tree}\ta\0`),
    Buffer.from(`100644 blob ${blob}\ta.b\0`),
    Buffer.from(`100644 blob ${blob}\t`),
    Buffer.from([0x61, 0xff, 0]),
    Buffer.from(`120000 blob ${blob}\tlink\0`),
    Buffer.from(`100755 blob ${blob}\tz.sh\0`),
  ])
  const root = gitBytes(path, ['mktree', '-z'], records).toString().trim()
  const base = git('commit-tree', '-m', 'Odd', root)
  const host = localHost({ path, branch: 'main' })
  const write = (files: Readonly<Record<string, string | null>>, branch: string) =>
    host.createBranch({
      branch,
      base,
      message: branch,
      author: { name: 'svc', email: 'svc@localhost' },
      date: new Date(0),
      operation: branch,
      files: Object.entries(files).map(([name, text]) => ({
        path: name,
        content: text === null ? null : Buffer.from(text),
      })),
    })
  const changes = {
    'a/b/c.txt': null,
    'a/d.txt': 'D\n',
    'a0/new/é.txt': 'new\n',
    'z.sh': 'Z\n',
  }
  const { commit } = await write(changes, 'one')
  const index = { GIT_INDEX_FILE: `${workPath}/.git/other` }
  gitAsPeople(path, ['read-tree', base], '', index)
  const lines = Object.entries(changes).map(([name, text]) => {
    if (text === null) return `0 ${blob}\t${name}\0`
    const id = gitAsPeople(path, ['hash-object', '-w', '--stdin'], text)
    return `${name === 'z.sh' ? '100755' : '100644'} ${id}\t${name}\0`
  })
  gitAsPeople(path, ['update-index', '-z', '--index-info'], lines.join(''), index)
  t.equal(git('rev-parse', `${commit}^{tree}`), gitAsPeople(path, ['write-tree'], '', index))
  t.equal(git('ls-tree', '-r', '--name-only', commit, 'a/b'), '', 'a folder goes with its last file')
  const emptied = await write({ 'a/b/c.txt': null, 'a/d.txt': null }, 'two')
  t.equal(git('ls-tree', emptied.commit, 'a'), '', 'and the folder around it')
  t.equal(git('fsck', '--no-dangling'), '')
})
