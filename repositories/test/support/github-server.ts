import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import {
  gitAsPeople,
  gitBytes,
  makeRepository,
  type RepositoryOptions,
  type TestRepository,
} from './git-repository.js'

export interface GitHubServerOptions extends RepositoryOptions {
  readonly owner?: string
  readonly name?: string
  readonly token?: string
  /** Entries after which a recursive tree is cut off. The real one's is 100,000. */
  readonly treeLimit?: number
  /** Entries of a page at most, whatever is asked for. The real one's are 100. */
  readonly pageLimit?: number
  /** Requests an hour. */
  readonly rateLimit?: number
}

/** What the next requests that match get instead of, or after, what they ask for. */
export interface Fault {
  readonly method?: string
  /** Of the path, without the query. */
  readonly path?: RegExp
  /** How many requests; once where it is left out. */
  readonly times?: number
  /** The request is carried out all the same: only its answer goes wrong. */
  readonly carriedOut?: boolean
  readonly answer:
    | {
        readonly status: number
        readonly headers?: Readonly<Record<string, string>>
        readonly body?: unknown
      }
    /** Half of the answer, then the connection ends. */
    | 'cut'
    /** Headers, then nothing more. */
    | 'slow'
    /** The connection ends without a word. */
    | 'reset'
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly status: number
  readonly authorization: string | undefined
}

/** GitHub as its documentation describes it, for one repository, which is a real bare one on disk. */
export interface GitHubServer {
  /** What a client takes for its base URL. */
  readonly url: string
  readonly fullName: string
  readonly token: string
  readonly repository: TestRepository
  /** Requests so far, answers in their order. */
  readonly asked: readonly Asked[]
  fault(fault: Fault): void
  /** No fault is left. */
  mend(): void
  /** Requests left before the limit is reached, and the second it is new again. */
  limit(remaining: number, resetAt: number): void
  /** The token's rights. */
  grant(rights: { readonly push?: boolean; readonly valid?: boolean; readonly archived?: boolean }): void
  /** Branches of these names cannot be made. */
  protect(pattern: RegExp): void
  /** The repository has another name from now on; the old one leads to it. */
  rename(name: string): void
  merge(number: number, how: 'merge' | 'squash' | 'rebase'): string
  closePullRequest(number: number): void
  /** The open pull request of a branch. */
  numberOf(branch: string): number
  /** A delivery as it would be sent: its headers and its body, signed. */
  delivery(event: string, payload: Readonly<Record<string, unknown>>, secret: string): Delivery
  close(): Promise<void>
}

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

interface Pull {
  readonly number: number
  title: string
  body: string
  readonly branch: string
  readonly base: string
  head: string
  state: 'open' | 'closed'
  mergeCommit: string | null
  readonly createdAt: string
  changes: number
}

interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly accept: string
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

interface Result {
  readonly status?: number
  readonly body: unknown
  /** Of a list: there is a further page. */
  readonly more?: boolean
}

/** The fixed time at which everything here happens. */
const TIME = '2026-11-20T10:00:00Z'

export async function startGitHubServer(t: Test, options: GitHubServerOptions = {}): Promise<GitHubServer> {
  const owner = options.owner ?? 'acme'
  const names = [options.name ?? 'site']
  const token = options.token ?? 'ghp_testtoken0000000000000000000000000000'
  const repository = makeRepository(t, { ...options, bare: true })
  const pulls: Pull[] = []
  const asked: Asked[] = []
  const faults: { fault: Fault; left: number }[] = []
  const rights = { push: true, valid: true, archived: false }
  const rate = { remaining: options.rateLimit ?? 5000, resetAt: 4_000_000_000 }
  let protectedBranches: RegExp | undefined
  let url = ''

  const name = () => names.at(-1) ?? ''
  const fullName = () => `${owner}/${name()}`
  const git = (...args: string[]) => repository.git(...args)
  const tryGit = (...args: string[]): string | undefined => {
    try {
      return git(...args)
    } catch {
      return undefined
    }
  }
  /** Branches as they were at the beginning of a request, or after it changed one. */
  let branches: ReadonlyMap<string, string> = new Map()
  const readBranches = () => {
    const lines = git('for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', 'refs/heads').split('\n')
    branches = new Map(lines.filter(Boolean).map((line) => [line.slice(41), line.slice(0, 40)]))
  }
  const tipOf = (branch: string) => branches.get(branch)
  const typeOf = (id: string) => (/^[0-9a-f]{40}$/.test(id) ? tryGit('cat-file', '-t', id) : undefined)
  const found = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Refused(404, 'Not Found')
    return value
  }
  const notEmpty = () => {
    if (branches.size === 0) throw new Refused(409, 'Git Repository is empty.')
  }

  /** What pushes by git itself do to pull requests: they go along, are closed with their branch, and merged where their commit lands in the base branch. */
  const refresh = () => {
    const before = branches
    readBranches()
    if (before.size === branches.size && [...branches].every(([name, id]) => before.get(name) === id)) return
    for (const pull of pulls) {
      if (pull.state === 'closed') continue
      const tip = tipOf(pull.branch)
      const landed =
        tryGit('merge-base', '--is-ancestor', tip ?? pull.head, `refs/heads/${pull.base}`) !== undefined
      if (landed || tip === undefined) {
        pull.state = 'closed'
        if (landed) pull.mergeCommit = tip ?? pull.head
        pull.changes++
      } else if (tip !== pull.head) {
        pull.head = tip
        pull.changes++
      }
    }
  }

  const shownRepository = () => ({ id: 1, name: name(), full_name: fullName(), owner: { login: owner } })
  const shownPull = (pull: Pull) => ({
    number: pull.number,
    html_url: `https://github.example/${fullName()}/pull/${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: pull.state,
    created_at: pull.createdAt,
    updated_at: new Date(Date.parse(TIME) + pull.changes * 1000).toISOString(),
    closed_at: pull.state === 'closed' ? TIME : null,
    merged_at: pull.mergeCommit === null ? null : TIME,
    merge_commit_sha: pull.mergeCommit,
    head: { ref: pull.branch, sha: pull.head, repo: shownRepository() },
    base: { ref: pull.base, sha: tipOf(pull.base), repo: shownRepository() },
  })
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
  const page = <T>(call: Call, all: readonly T[]): { some: T[]; more: boolean } => {
    const size = Math.min(options.pageLimit ?? 100, Number(call.query.get('per_page') ?? 30))
    const number = Number(call.query.get('page') ?? 1)
    return { some: all.slice((number - 1) * size, number * size), more: all.length > number * size }
  }

  const readTree = (call: Call, id: string): Result => {
    notEmpty()
    const tree = found(tryGit('rev-parse', '--verify', '--quiet', `${id}^{tree}`))
    const recursive = call.query.has('recursive')
    const records = git('ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), tree)
      .split('\0')
      .filter(Boolean)
    const limit = recursive ? (options.treeLimit ?? 100_000) : 100_000
    const entries = records.slice(0, limit).map((record) => {
      const [, mode, type, sha, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(record) ?? []
      return { path, mode, type, sha, ...(type === 'blob' ? { size: Number(size) } : {}) }
    })
    return { body: { sha: tree, tree: entries, truncated: records.length > limit } }
  }

  const readBlob = (call: Call, id: string): Result => {
    if (typeOf(id) !== 'blob') throw new Refused(404, 'Not Found')
    const content = gitBytes(repository.path, ['cat-file', 'blob', id])
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
      repository.path,
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
        gitAsPeople(
          repository.path,
          ['-c', 'core.bare=false', '-c', `core.worktree=${folder}`, ...args],
          input,
          {
            GIT_INDEX_FILE: join(folder, 'index'),
          },
        )
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
        const sha =
          entry.sha ?? gitAsPeople(repository.path, ['hash-object', '-w', '--stdin'], entry.content ?? '')
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
      repository.path,
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
    if (protectedBranches?.test(branch) === true)
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

  const compare = (call: Call, range: string): Result => {
    notEmpty()
    const [from, to] = range.split('...').map((side) => tipOf(side) ?? side)
    if (from === undefined || to === undefined) throw new Refused(404, 'Not Found')
    const start = found(tryGit('merge-base', from, to))
    const ids = git('rev-list', '--reverse', `${start}..${to}`).split('\n').filter(Boolean)
    const behind = Number(git('rev-list', '--count', `${start}..${from}`))
    const { some, more } = page(call, ids)
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

  const listPulls = (call: Call): Result => {
    const state = call.query.get('state') ?? 'open'
    const head = call.query.get('head')
    const base = call.query.get('base')
    const sort = call.query.get('sort') ?? 'created'
    const all = pulls
      .filter((pull) => state === 'all' || pull.state === state)
      // A filter without an owner is no filter.
      .filter((pull) => head === null || !head.includes(':') || head === `${owner}:${pull.branch}`)
      .filter((pull) => base === null || pull.base === base)
      .sort((a, b) => (sort === 'updated' ? b.changes - a.changes : 0) || b.number - a.number)
    const { some, more } = page(call, all)
    return { body: some.map(shownPull), more }
  }

  const makePull = (call: Call): Result => {
    notEmpty()
    const invalid = (message: string, field?: string) =>
      new Refused(422, 'Validation Failed', {
        errors: [
          { resource: 'PullRequest', code: field === undefined ? 'custom' : 'invalid', field, message },
        ],
      })
    const branch = String(call.body.head).replace(`${owner}:`, '')
    const base = String(call.body.base)
    const head = tipOf(branch)
    if (head === undefined) throw invalid('', 'head')
    if (tipOf(base) === undefined) throw invalid('', 'base')
    if (pulls.some((pull) => pull.state === 'open' && pull.branch === branch && pull.base === base))
      throw invalid(`A pull request already exists for ${owner}:${branch}.`)
    if (git('rev-list', '--count', `refs/heads/${base}..${head}`) === '0')
      throw invalid(`No commits between ${base} and ${branch}`)
    const pull: Pull = {
      number: pulls.length + 1,
      title: String(call.body.title),
      body: String(call.body.body ?? ''),
      branch,
      base,
      head,
      state: 'open',
      mergeCommit: null,
      createdAt: TIME,
      changes: 0,
    }
    pulls.push(pull)
    return { status: 201, body: shownPull(pull) }
  }

  const pullOf = (number: number) => found(pulls.find((pull) => pull.number === number))

  type Route = readonly [method: string, path: RegExp, answer: (call: Call, part: string) => Result]
  const routes: readonly Route[] = [
    [
      'GET',
      /^$/,
      () => ({
        body: {
          ...shownRepository(),
          default_branch: git('symbolic-ref', '--short', 'HEAD'),
          archived: rights.archived,
          disabled: false,
          permissions: { pull: true, push: rights.push, admin: false },
        },
      }),
    ],
    [
      'GET',
      /^\/git\/ref\/heads\/(.+)$/,
      (_, branch) => {
        notEmpty()
        return shownRef(branch, found(tipOf(branch)))
      },
    ],
    ['POST', /^\/git\/refs$/, makeRef],
    ['GET', /^\/git\/trees\/([^/]+)$/, readTree],
    ['POST', /^\/git\/trees$/, writeTree],
    ['GET', /^\/git\/blobs\/([^/]+)$/, readBlob],
    ['POST', /^\/git\/blobs$/, writeBlob],
    [
      'GET',
      /^\/git\/commits\/([^/]+)$/,
      (_, id) => {
        notEmpty()
        if (typeOf(id) !== 'commit') throw new Refused(404, 'Not Found')
        return { body: shownCommit(id) }
      },
    ],
    ['POST', /^\/git\/commits$/, writeCommit],
    ['GET', /^\/compare\/(.+)$/, compare],
    ['GET', /^\/pulls$/, listPulls],
    ['POST', /^\/pulls$/, makePull],
    [
      'GET',
      /^\/pulls\/(\d+)$/,
      (_, number) => ({
        body: { ...shownPull(pullOf(Number(number))), merged: pullOf(Number(number)).mergeCommit !== null },
      }),
    ],
    [
      'PATCH',
      /^\/pulls\/(\d+)$/,
      (call, number) => {
        const pull = pullOf(Number(number))
        if (typeof call.body.title === 'string') pull.title = call.body.title
        if (typeof call.body.body === 'string') pull.body = call.body.body
        if (call.body.state === 'closed') pull.state = 'closed'
        pull.changes++
        return { body: shownPull(pull) }
      },
    ],
  ]

  const answer = (call: Call): Result => {
    const base = `/repos/${fullName()}`
    const byId = '/repositories/1'
    const prefix = [base, byId].find((each) => call.path === each || call.path.startsWith(`${each}/`))
    if (prefix === undefined) {
      const old = names.slice(0, -1).find((each) => call.path.startsWith(`/repos/${owner}/${each}`))
      if (old === undefined) throw new Refused(404, 'Not Found')
      const location = `${url}${byId}${call.path.slice(`/repos/${owner}/${old}`.length)}`
      const query = call.query.toString()
      throw new Refused(call.method === 'GET' ? 301 : 307, 'Moved Permanently', {
        url: query === '' ? location : `${location}?${query}`,
      })
    }
    if (call.method !== 'GET' && rights.archived)
      throw new Refused(403, 'Repository was archived so is read-only.')
    if (call.method !== 'GET' && !rights.push)
      throw new Refused(403, 'Resource not accessible by personal access token')
    refresh()
    const rest = call.path.slice(prefix.length)
    for (const [method, path, route] of routes) {
      const match = method === call.method ? path.exec(rest) : null
      if (match !== null) return route(call, match[1] ?? '')
    }
    throw new Refused(404, 'Not Found')
  }

  const rateHeaders = () => ({
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-used': String(5000 - rate.remaining),
    'x-ratelimit-reset': String(rate.resetAt),
    'x-ratelimit-resource': 'core',
  })

  interface Sent {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: Buffer
  }

  const carryOut = (call: Call, request: IncomingMessage): Sent => {
    try {
      if (request.headers['user-agent'] === undefined)
        throw new Refused(
          403,
          'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
        )
      const given = request.headers.authorization?.replace(/^(?:token|bearer) /i, '')
      if (given !== undefined && (given !== token || !rights.valid)) throw new Refused(401, 'Bad credentials')
      // Whoever may not see it is told what those are told who look for nothing.
      if (given === undefined) throw new Refused(404, 'Not Found')
      if (rate.remaining <= 0) throw new Refused(403, 'API rate limit exceeded for user ID 1.')
      const result = answer(call)
      const body = Buffer.isBuffer(result.body) ? result.body : Buffer.from(JSON.stringify(result.body))
      const etag = `W/"${createHash('sha256').update(body).digest('hex')}"`
      if (call.method === 'GET' && request.headers['if-none-match'] === etag)
        return { status: 304, headers: { etag, ...rateHeaders() }, body: Buffer.alloc(0) }
      rate.remaining--
      const next = new URL(`${url}${call.path}?${call.query}`)
      next.searchParams.set('page', String(Number(call.query.get('page') ?? 1) + 1))
      return {
        status: result.status ?? 200,
        headers: {
          ...rateHeaders(),
          'content-type': Buffer.isBuffer(result.body)
            ? 'application/vnd.github.raw+json; charset=utf-8'
            : 'application/json; charset=utf-8',
          ...(call.method === 'GET' ? { etag } : {}),
          ...(result.more === true ? { link: `<${next.href}>; rel="next"` } : {}),
        },
        body,
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.status !== 401) rate.remaining = Math.max(0, rate.remaining - 1)
      const { url: location, ...more } = error.more
      return {
        status: error.status,
        headers: {
          ...rateHeaders(),
          'content-type': 'application/json; charset=utf-8',
          ...(typeof location === 'string' ? { location } : {}),
        },
        body: Buffer.from(
          JSON.stringify({
            message: error.message,
            ...more,
            documentation_url: 'https://docs.github.example/rest',
          }),
        ),
      }
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const target = new URL(request.url ?? '/', 'http://host')
    const text = Buffer.concat(chunks).toString('utf8')
    const call: Call = {
      method: request.method ?? 'GET',
      path: decodeURIComponent(target.pathname),
      query: target.searchParams,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      accept: request.headers.accept ?? '',
    }
    const entry = faults.find(
      ({ fault, left }) =>
        left > 0 &&
        (fault.method === undefined || fault.method === call.method) &&
        (fault.path === undefined || fault.path.test(call.path)),
    )
    const fault = entry?.fault
    if (entry !== undefined) entry.left--
    const nothing: Sent = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"sha":'),
    }
    let sent = fault !== undefined && fault.carriedOut !== true ? nothing : carryOut(call, request)
    const how = fault?.answer
    if (typeof how === 'object')
      sent = {
        status: how.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...how.headers },
        body:
          typeof how.body === 'string'
            ? Buffer.from(how.body)
            : Buffer.from(JSON.stringify(how.body ?? { message: 'Fault' })),
      }
    asked.push({
      method: call.method,
      path: call.path,
      query: target.search,
      status: sent.status,
      authorization: request.headers.authorization,
    })
    if (how === 'reset') return void response.destroy()
    const length = [204, 304].includes(sent.status)
      ? {}
      : { 'content-length': String(sent.body.length + 1000) }
    if (how === 'cut' || how === 'slow') {
      response.writeHead(sent.status, { ...sent.headers, ...length })
      response.write(sent.body.subarray(0, Math.max(1, sent.body.length / 2)), () => {
        if (how === 'cut') response.destroy()
      })
      return
    }
    response.writeHead(sent.status, sent.headers)
    response.end(sent.body)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      process.stderr.write(`the GitHub server of the tests failed: ${String(error)}\n`)
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.teardown(close)

  return {
    url,
    get fullName() {
      return fullName()
    },
    token,
    repository,
    asked,
    fault: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    mend: () => void faults.splice(0),
    limit(remaining, resetAt) {
      rate.remaining = remaining
      rate.resetAt = resetAt
    },
    grant: (more) => void Object.assign(rights, more),
    protect(pattern) {
      protectedBranches = pattern
    },
    rename: (to) => void names.push(to),
    merge(number, how) {
      const pull = pullOf(number)
      refresh()
      const commit = repository.bringIn(pull.branch, how, `${pull.title} (#${number})`)
      readBranches()
      pull.state = 'closed'
      pull.mergeCommit = commit
      pull.changes++
      return commit
    },
    closePullRequest(number) {
      const pull = pullOf(number)
      pull.state = 'closed'
      pull.changes++
    },
    numberOf(branch) {
      refresh()
      return found(pulls.find((pull) => pull.branch === branch && pull.state === 'open')).number
    },
    delivery(event, payload, secret) {
      const body = Buffer.from(JSON.stringify({ ...payload, repository: { full_name: fullName() } }))
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      return {
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-hub-signature-256': `sha256=${signature}`,
        },
        body,
      }
    },
    close,
  }
}

interface Person {
  readonly name: string
  readonly email: string
  readonly date: string
}
