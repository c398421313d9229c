import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitAsPeople, gitBytes } from '../git-repository.js'
import { type Call, found, page, Refused, type Result } from './answers.js'
import { type Hosted, TIME } from './hosted.js'

export interface ObjectLimits {
  /** Most entries of a recursive tree. */
  readonly tree: number
  /** Most entries of a page. */
  readonly page: number
}

/** The git data API and comparisons. */
export function objectRoutes(
  { owner, path, git, tryGit, tipOf, typeOf, notEmpty, readBranches }: Hosted,
  limits: ObjectLimits,
  isProtected: (branch: string) => boolean,
) {
  const shownCommit = (id: string) => {
    const [tree, parents, author, email, date, ...message] = git(
      'log',
      '-1',
      '--format=%T%n%P%n%an%n%ae%n%aI%n%B',
      id,
    ).split('\n')
    const person = { name: author, email, date }
    return {
      sha: id,
      tree: { sha: tree },
      parents: (parents ?? '')
        .split(' ')
        .filter(Boolean)
        .map((sha) => ({ sha })),
      author: person,
      committer: person,
      message: message.join('\n').trimEnd(),
    }
  }
  const readTree = (call: Call, id: string): Result => {
    notEmpty()
    const tree = found(tryGit('rev-parse', '--verify', '--quiet', `${id}^{tree}`))
    const recursive = call.query.has('recursive')
    const records = git('ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), tree)
      .split('\0')
      .filter(Boolean)
    const limit = recursive ? limits.tree : 100_000
    const entries = records.slice(0, limit).map((record) => {
      const [, mode, type, sha, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(record) ?? []
      return { path, mode, type, sha, ...(type === 'blob' ? { size: Number(size) } : {}) }
    })
    return { body: { sha: tree, tree: entries, truncated: records.length > limit } }
  }

  const readBlob = (call: Call, id: string): Result => {
    if (typeOf(id) !== 'blob') throw new Refused(404, 'Not Found')
    const content = gitBytes(path, ['cat-file', 'blob', id])
    if (content.length > 100 * 1024 * 1024)
      throw new Refused(
        403,
        'This API returns blobs up to 100 MB in size. The requested blob is too large.',
        {
          errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }],
        },
      )
    if (/raw/.test(call.accept)) return { body: content }
    return {
      body: { sha: id, size: content.length, encoding: 'base64', content: content.toString('base64') },
    }
  }

  const writeBlob = (call: Call): Result => {
    notEmpty()
    const encoding = call.body.encoding === 'base64' ? 'base64' : 'utf8'
    const id = gitAsPeople(
      path,
      ['hash-object', '-w', '--stdin'],
      Buffer.from(String(call.body.content), encoding),
    )
    return { status: 201, body: { sha: id } }
  }

  const writeTree = (call: Call): Result => {
    notEmpty()
    const folder = mkdtempSync(join(tmpdir(), 'svc-github-'))
    try {
      const index = (args: string[], input = '') =>
        gitAsPeople(path, ['-c', 'core.bare=false', '-c', `core.worktree=${folder}`, ...args], input, {
          GIT_INDEX_FILE: join(folder, 'index'),
        })
      const base = call.body.base_tree
      if (typeof base === 'string') {
        if (tryGit('cat-file', '-e', `${base}^{tree}`) === undefined)
          throw new Refused(422, 'base_tree is not a valid tree oid')
        index(['read-tree', base])
      }
      for (const entry of call.body.tree as {
        path: string
        mode: string
        sha?: string | null
        content?: string
      }[]) {
        if (entry.path.split('/').some((part) => ['', '.', '..', '.git'].includes(part)))
          throw new Refused(422, 'tree.path contains a malformed path component')
        if (entry.sha === null) {
          if (index(['ls-files', '-z', '--', `:(literal,top)${entry.path}`]) === '')
            throw new Refused(422, 'GitRPC::BadObjectState')
          index(['update-index', '-z', '--index-info'], `0 ${'0'.repeat(40)}\t${entry.path}\0`)
          continue
        }
        const sha = entry.sha ?? gitAsPeople(path, ['hash-object', '-w', '--stdin'], entry.content ?? '')
        index(['update-index', '-z', '--index-info'], `${entry.mode} ${sha}\t${entry.path}\0`)
      }
      return { status: 201, body: { sha: index(['write-tree']), truncated: false, tree: [] } }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  const writeCommit = (call: Call): Result => {
    notEmpty()
    const { message, tree, parents, author, committer } = call.body as {
      message: string
      tree: string
      parents: string[]
      author?: Person
      committer?: Person
    }
    if (tryGit('cat-file', '-e', `${tree}^{tree}`) === undefined)
      throw new Refused(422, 'Tree SHA does not exist')
    for (const parent of parents)
      if (typeOf(parent) !== 'commit')
        throw new Refused(422, 'Parent SHA does not exist or is not a commit object')
    const by = author ?? { name: owner, email: `${owner}@example.com`, date: TIME }
    const from = committer ?? by
    const id = gitAsPeople(
      path,
      ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'],
      message,
      {
        GIT_AUTHOR_NAME: by.name,
        GIT_AUTHOR_EMAIL: by.email,
        GIT_AUTHOR_DATE: by.date,
        GIT_COMMITTER_NAME: from.name,
        GIT_COMMITTER_EMAIL: from.email,
        GIT_COMMITTER_DATE: from.date,
      },
    )
    return { status: 201, body: shownCommit(id) }
  }

  const shownRef = (branch: string, sha: string): Result => ({
    body: { ref: `refs/heads/${branch}`, object: { type: 'commit', sha } },
  })

  const makeRef = (call: Call): Result => {
    notEmpty()
    const ref = String(call.body.ref)
    const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
    if (branch === undefined || tryGit('check-ref-format', ref) === undefined)
      throw new Refused(422, "Reference name must start with 'refs/' and contain at least two slashes.")
    if (isProtected(branch))
      throw new Refused(
        422,
        'Repository rule violations found\n\nCannot create ref due to creations being restricted.',
      )
    if (tipOf(branch) !== undefined) throw new Refused(422, 'Reference already exists')
    if (typeOf(String(call.body.sha)) !== 'commit') throw new Refused(422, 'Object does not exist')
    if (tryGit('update-ref', ref, String(call.body.sha), '0'.repeat(40)) === undefined)
      throw new Refused(422, 'Reference update failed')
    readBranches()
    return { ...shownRef(branch, String(call.body.sha)), status: 201 }
  }

  const moveRef = ({ body: { sha, force } }: Call, branch: string): Result => {
    if (tipOf(branch) === undefined) throw new Refused(422, 'Reference does not exist')
    if (typeOf(String(sha)) !== 'commit') throw new Refused(422, 'Object does not exist')
    if (force !== true) throw new Refused(422, 'Update is not a fast forward')
    git('update-ref', `refs/heads/${branch}`, String(sha))
    readBranches()
    return shownRef(branch, String(sha))
  }

  const deleteRef = (branch: string): Result => {
    if (tipOf(branch) === undefined) throw new Refused(422, 'Reference does not exist')
    git('update-ref', '-d', `refs/heads/${branch}`)
    readBranches()
    return { status: 204, body: Buffer.alloc(0) }
  }

  const compare = (call: Call, range: string): Result => {
    notEmpty()
    const [from, to] = range.split('...').map((side) => tipOf(side) ?? side)
    if (from === undefined || to === undefined) throw new Refused(404, 'Not Found')
    const start = found(tryGit('merge-base', from, to))
    const ids = git('rev-list', '--reverse', `${start}..${to}`).split('\n').filter(Boolean)
    const behind = Number(git('rev-list', '--count', `${start}..${from}`))
    const { some, more } = page(call, ids, limits.page)
    const fields = git('diff-tree', '-r', '-z', '-M', '--raw', '--no-abbrev', start, to).split('\0')
    const files: unknown[] = []
    for (let at = 0; at + 1 < fields.length && files.length < 300; ) {
      const [, , , sha, letter = ''] = (fields[at] ?? '').split(' ')
      if (letter.startsWith('R')) {
        files.push({ filename: fields[at + 2], previous_filename: fields[at + 1], sha, status: 'renamed' })
        at += 3
        continue
      }
      const status = letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified'
      files.push({ filename: fields[at + 1], sha, status })
      at += 2
    }
    const status = ids.length > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical'
    const commits = some.map((id) => ({ sha: id, commit: shownCommit(id) }))
    const first = Number(call.query.get('page') ?? 1) === 1
    return {
      body: {
        status,
        ahead_by: ids.length,
        behind_by: behind,
        commits,
        ...(first ? { files } : { files: [] }),
      },
      more,
    }
  }

  return {
    shownCommit,
    readTree,
    readBlob,
    writeBlob,
    writeTree,
    writeCommit,
    shownRef,
    makeRef,
    moveRef,
    deleteRef,
    compare,
  }
}

interface Person {
  readonly name: string
  readonly email: string
  readonly date: string
}
