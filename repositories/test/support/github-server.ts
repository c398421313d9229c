import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { makeRepository, type RepositoryOptions, type TestRepository } from './git-repository.js'
import { type Call, found, Refused, type Result } from './github/answers.js'
import { hostedIn } from './github/hosted.js'
import { objectRoutes } from './github/objects.js'
import { pullRoutes } from './github/pulls.js'

export interface GitHubServerOptions extends RepositoryOptions {
  readonly owner?: string
  readonly name?: string
  readonly token?: string
  /** Most entries of a recursive tree. GitHub's limit is 100,000. */
  readonly treeLimit?: number
  /** Most entries of a page, whatever is requested. GitHub's limit is 100. */
  readonly pageLimit?: number
  /** Requests per hour. */
  readonly rateLimit?: number
}

/** The response to the next matching requests. */
export interface Fault {
  readonly method?: string
  /** Matches the path without the query. */
  readonly path?: RegExp
  /**
   * Number of requests.
   *
   * @default 1
   */
  readonly times?: number
  /** The request is carried out, and only its response fails. */
  readonly carriedOut?: boolean
  /** Runs after the request, before its answer. */
  readonly meanwhile?: () => void
  /** @default the true answer of a request that is carried out */
  readonly answer?:
    | {
        readonly status: number
        readonly headers?: Readonly<Record<string, string>>
        readonly body?: unknown
      }
    /** Half of the response, then the connection ends. */
    | 'cut'
    /** Headers, then nothing. */
    | 'slow'
    /** The connection ends without a response. */
    | 'reset'
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly status: number
  readonly authorization: string | undefined
}

/** GitHub as its documentation describes it, for one repository on disk. */
export interface GitHubServer {
  /** The base URL for clients. */
  readonly url: string
  readonly fullName: string
  readonly token: string
  readonly repository: TestRepository
  /** All requests so far, with their responses in order. */
  readonly asked: readonly Asked[]
  fault(fault: Fault): void
  /** Removes all faults. */
  mend(): void
  /** Requests left before the limit, and the second at which it resets. */
  limit(remaining: number, resetAt: number): void
  /** Sets the token's rights. */
  grant(rights: { readonly push?: boolean; readonly valid?: boolean; readonly archived?: boolean }): void
  /** Refuses to create branches of these names. */
  protect(pattern: RegExp): void
  /** Renames the repository; the old name redirects. */
  rename(name: string): void
  merge(number: number, how: 'merge' | 'squash' | 'rebase'): string
  closePullRequest(number: number): void
  /** The open pull request of a branch. */
  numberOf(branch: string): number
  /** A signed delivery: its headers and body. */
  delivery(event: string, payload: Readonly<Record<string, unknown>>, secret: string): Delivery
  close(): Promise<void>
}

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export async function startGitHubServer(t: Test, options: GitHubServerOptions = {}): Promise<GitHubServer> {
  const owner = options.owner ?? 'acme'
  const names = [options.name ?? 'site']
  const token = options.token ?? 'ghp_testtoken0000000000000000000000000000'
  const repository = makeRepository(t, { ...options, bare: true })
  const asked: Asked[] = []
  const faults: { fault: Fault; left: number }[] = []
  const rights = { push: true, valid: true, archived: false }
  const rate = { remaining: options.rateLimit ?? 5000, resetAt: 4_000_000_000 }
  let protectedBranches: RegExp | undefined
  let url = ''

  const name = () => names.at(-1) ?? ''
  const fullName = () => `${owner}/${name()}`
  const hosted = hostedIn(repository, owner, name)
  const { git, tipOf, typeOf, notEmpty, readBranches, refresh, pullOf, pulls } = hosted
  const limits = { tree: options.treeLimit ?? 100_000, page: options.pageLimit ?? 100 }
  const { shownCommit, shownRef, ...objects } = objectRoutes(
    hosted,
    limits,
    (branch) => protectedBranches?.test(branch) === true,
  )
  const { shownRepository, shownPull, listPulls, makePull } = pullRoutes(hosted, limits.page)

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
    ['POST', /^\/git\/refs$/, objects.makeRef],
    ['PATCH', /^\/git\/refs\/heads\/(.+)$/, objects.moveRef],
    ['DELETE', /^\/git\/refs\/heads\/(.+)$/, (_, branch) => objects.deleteRef(branch)],
    ['GET', /^\/git\/trees\/([^/]+)$/, objects.readTree],
    ['POST', /^\/git\/trees$/, objects.writeTree],
    ['GET', /^\/git\/blobs\/([^/]+)$/, objects.readBlob],
    ['POST', /^\/git\/blobs$/, objects.writeBlob],
    [
      'GET',
      /^\/git\/commits\/([^/]+)$/,
      (_, id) => {
        notEmpty()
        if (typeOf(id) !== 'commit') throw new Refused(404, 'Not Found')
        return { body: shownCommit(id) }
      },
    ],
    ['POST', /^\/git\/commits$/, objects.writeCommit],
    ['GET', /^\/compare\/(.+)$/, objects.compare],
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
      // Without access, the response is that of a missing repository.
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
    fault?.meanwhile?.()
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
  // Keep-alive races have their own tests.
  server.keepAliveTimeout = 600_000
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
