import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { GitHubOptions } from '../github/client.js'
import { githubHost } from '../github/host.js'
import { locateFiles } from '../locate.js'
import type { RepositoryHost } from '../port.js'
import { changeOf, failureOf } from './support/contract.js'
import {
  type Fault,
  type GitHubServer,
  type GitHubServerOptions,
  startGitHubServer,
} from './support/github-server.js'

const FILES = { 'index.html': '<p>One</p>\n', 'src/a/b/c.ts': 'c\n', 'src/a/d.ts': 'd\n', 'src/e.ts': 'e\n' }

function connect(server: GitHubServer, more: Partial<GitHubOptions> = {}): RepositoryHost {
  const { fullName, token, url } = server
  return githubHost({ repository: fullName, token, baseUrl: url, branch: 'main', ...more })
}

async function started(t: Test, options: GitHubServerOptions = {}) {
  const server = await startGitHubServer(t, { files: FILES, ...options })
  return { server, host: connect(server) }
}

/** From an empty state to an open pull request. */
async function propose(host: RepositoryHost, base: string) {
  const change = changeOf(base, {
    files: [
      { path: 'index.html', content: Buffer.from('<p>Uno</p>\n') },
      { path: 'logo.bin', content: Buffer.from([255, 0]) },
    ],
  })
  const { commit } = await host.createBranch(change)
  const { branch, operation } = change
  return host.openPullRequest({ branch, operation, commit, title: 'A title', body: 'A body' })
}

t.test('whatever goes wrong at whichever step, there is one branch and one pull request', async (t) => {
  const { server } = await started(t)
  const base = server.repository.git('rev-parse', 'main')
  const steps = [/\/git\/blobs$/, /\/git\/trees$/, /\/git\/commits$/, /\/git\/refs$/, /\/pulls$/]
  const faults: readonly Omit<Fault, 'path'>[] = [
    { answer: 'reset' },
    { answer: 'reset', carriedOut: true },
    { answer: 'cut', carriedOut: true },
    { answer: { status: 502, body: '<html>Bad Gateway</html>' } },
    { answer: { status: 503, headers: { 'retry-after': '3' } }, carriedOut: true },
    { answer: { status: 200, body: '<html>Sign in</html>' } },
  ]
  const [first = /x/, ...others] = steps
  // Every fault at every step: each attempt gets one step further or fails.
  for (const fault of faults) server.fault({ ...fault, method: 'POST', path: first })
  for (const [index, step] of others.entries())
    for (const fault of [0, 4].map((add) => faults[(index + add) % faults.length]))
      if (fault !== undefined) server.fault({ ...fault, method: 'POST', path: step })
  let failures = 0
  for (;;) {
    // A killed process remembers nothing, so every attempt starts anew.
    const pull = await propose(connect(server), base).catch((error: unknown) => error)
    if (!(pull instanceof Error)) {
      t.match(pull, { number: 1, state: 'open' })
      break
    }
    failures++
    t.match(pull, { name: 'RepositoryError', code: 'unavailable', retryable: true })
    t.notMatch(`${pull.stack}${JSON.stringify(pull)}`, server.token)
    if (failures > 20) return t.fail('it never comes to an end')
  }
  t.equal(failures, 6 + 8 - 1, 'once the branch was there, though its answer was lost, it was not made again')
  t.equal(
    server.repository.git('for-each-ref', '--format=%(refname)'),
    'refs/heads/main\nrefs/heads/svc/button',
  )
  t.match(await propose(connect(server), base), { number: 1 })
})

t.test('branches and commits that the host does not show yet are retried at every step', async (t) => {
  const { server } = await started(t)
  const base = server.repository.git('rev-parse', 'main')
  const steps: readonly (readonly [method: string, path: RegExp])[] = [
    ['POST', /\/git\/blobs$/],
    ['GET', /\/git\/commits\/[^/]+$/],
    ['POST', /\/git\/trees$/],
    ['POST', /\/git\/commits$/],
    ['POST', /\/git\/refs$/],
    ['GET', /\/compare\//],
    ['GET', /\/pulls$/],
    ['POST', /\/pulls$/],
  ]
  const answers = [404, 409, 422].map((status) => ({ status, body: { message: 'Object does not exist' } }))
  for (const [method, path] of steps) for (const answer of answers) server.fault({ method, path, answer })
  const failures: unknown[] = []
  for (let attempt = 0; attempt < 50; attempt++) {
    const pull = await propose(connect(server), base).catch((error: unknown) => error)
    if (!(pull instanceof Error)) break
    failures.push(pull)
    t.match(pull, { name: 'RepositoryError', code: 'unavailable', retryable: true })
  }
  t.equal(failures.length, 3 * steps.length, 'each answer at each step, and then it is open')
  const known = { branch: 'svc/button', operation: 'experiment:1', commit: base, number: 1 }
  const change = {
    ...changeOf(base),
    message: 'Other',
    replaces: server.repository.git('rev-parse', known.branch),
  }
  for (const answer of answers) {
    server.fault({ path: /\/pulls\/1$/, answer })
    t.match(await failureOf(connect(server).pullRequest(known)), { code: 'unavailable', retryable: true })
    server.fault({ method: 'PATCH', answer })
    t.match(await failureOf(connect(server).createBranch(change)), { code: 'unavailable', retryable: true })
    server.fault({ method: 'DELETE', answer })
    const failed = { ...known, author: change.author }
    t.match(await failureOf(connect(server).deleteBranch(failed)), { code: 'unavailable', retryable: true })
  }
  for (const status of [403, 422]) {
    server.fault({
      method: 'PATCH',
      answer: {
        status,
        body: { message: 'Validation Failed', errors: [{ message: 'was submitted too quickly' }] },
      },
    })
    t.match(await failureOf(connect(server).createBranch(change)), {
      code: 'rate_limited',
      retryAfterMs: 60_000,
    })
  }
  t.match(await connect(server).pullRequest(known), { state: 'open' })
})

t.test('what people push while a branch is written again stays', async (t) => {
  const { server, host } = await started(t)
  const { repository } = server
  const base = await host.head()
  const { branch } = changeOf(base)
  const { commit } = await host.createBranch(changeOf(base))
  let pushed = ''
  server.fault({
    method: 'POST',
    path: /\/git\/commits$/,
    carriedOut: true,
    meanwhile: () => {
      pushed = repository.commit(branch, { 'index.html': '<p>By hand</p>\n' })
    },
  })
  const again = changeOf(base, { message: 'Written again', replaces: commit })
  t.match(await host.createBranch(again), { created: false })
  t.equal(repository.git('rev-parse', branch), pushed)
})

t.test('rate limits are respected and reported', async (t) => {
  const { server } = await started(t)
  let now = 1_000_000_000_000
  const host = connect(server, { now: () => now })
  await host.head()
  const sent = server.asked.length
  server.limit(0, now / 1000 + 90)
  t.match(await failureOf(host.head()), { code: 'rate_limited', retryable: true, retryAfterMs: 90_000 })
  t.equal(server.asked.length, sent + 1)
  now += 30_000
  t.match(await failureOf(host.tree('a'.repeat(40))), { code: 'rate_limited', retryAfterMs: 60_000 })
  t.match(await host.check(), { ok: false, code: 'rate_limited', message: /by itself/ })
  t.equal(server.asked.length, sent + 1, 'the host is left alone meanwhile')
  now += 60_000
  server.limit(5000, 4_000_000_000)
  await host.head()

  const secondary = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' }
  server.fault({ answer: { status: 403, headers: { 'retry-after': '7' }, body: secondary } })
  t.match(await failureOf(host.head()), { code: 'rate_limited', retryAfterMs: 7000 })
  now += 7000
  server.fault({ answer: { status: 403, body: secondary } })
  t.match(await failureOf(host.head()), { code: 'rate_limited', retryAfterMs: 60_000 })
  now += 60_000
  server.fault({ answer: { status: 429 } })
  t.match(await failureOf(host.head()), { code: 'rate_limited', retryAfterMs: 60_000 })
  now += 60_000
  server.fault({ answer: { status: 503, headers: { 'retry-after': '20' } } })
  t.match(await failureOf(host.head()), { code: 'unavailable', retryAfterMs: 20_000 })
  await host.head()
})

t.test('unchanged answers do not count against the rate limit', async (t) => {
  const { server, host } = await started(t)
  const { token } = await host.poll(undefined)
  server.limit(100, 4_000_000_000)
  await host.head()
  t.match(await host.poll(token), { changed: false })
  t.same(
    server.asked.slice(-3).map(({ status }) => status),
    [304, 304, 304],
  )
  t.match(await host.check(), { ok: true })
  const folders = ['src/a/x.ts']
  const head = await host.head()
  await host.entries(head, folders)
  const before = server.asked.length
  await host.entries(head, folders)
  t.equal(server.asked.length, before, 'trees never change')
  server.repository.commit('main', { 'src/e.ts': 'other\n' })
  const entries = await host.entries(await host.head(), folders)
  t.equal(server.asked.length, before + 3, 'the reference, the root and src, but not src/a')
  t.equal(entries.get('src/a/d.ts')?.kind, 'file')
})

t.test('malformed ids and addresses are refused', async (t) => {
  const { server, host } = await started(t)
  const base = server.repository.git('rev-parse', 'main')
  for (const [path, answer] of [
    [/\/git\/trees$/, { sha: '../../../user' }],
    [/\/git\/commits$/, { sha: '--upload-pack=x' }],
    [/\/pulls$/, { number: 1, html_url: 'javascript:go()', state: 'open', head: { sha: base } }],
    [/\/pulls$/, { number: 1, html_url: 'https://github.test/\n', state: 'open', head: { sha: base } }],
    [/\/pulls$/, { number: 1, html_url: 'https://github.test/1', state: 'open', head: { sha: 'main' } }],
  ] as const) {
    server.fault({ method: 'POST', path, answer: { status: 201, body: JSON.stringify(answer) } })
    t.match(
      await failureOf(propose(host, base)),
      { code: 'unavailable', retryable: true },
      JSON.stringify(answer),
    )
  }
  t.match(await propose(host, base), { number: 1, state: 'open' })
})

t.test('a slow answer ends with a time-out', async (t) => {
  const { server } = await started(t)
  const host = connect(server, { timeoutMs: 150 })
  server.fault({ answer: 'slow' })
  t.match(await failureOf(host.head()), { code: 'timeout', retryable: true })
})

t.test('a truncated tree is read completely, and lists are read page by page', async (t) => {
  const { server, host } = await started(t, { treeLimit: 3, pageLimit: 1 })
  const head = await host.head()
  t.same((await host.tree(head)).map((entry) => entry.path).sort(), Object.keys(FILES).sort())
  // Three pull requests of one branch, each of another operation. The first is on the last page.
  const commits: string[] = []
  for (const operation of ['one', 'two', 'three']) {
    const change = changeOf(head, { operation, message: operation })
    const { commit } = await host.createBranch(change)
    commits.push(commit)
    const { number } = await host.openPullRequest({ ...change, commit, title: 't', body: 'b' })
    server.closePullRequest(number ?? 0)
    server.repository.deleteBranch(change.branch)
  }
  for (const [index, operation] of ['one', 'two', 'three'].entries()) {
    const known = { branch: 'svc/button', number: null, commit: commits[index] ?? '', operation }
    t.match(await host.pullRequest(known), { number: index + 1, state: 'closed' })
  }
  const change = changeOf(head, { operation: 'four' })
  const { commit } = await host.createBranch(change)
  server.repository.commit('svc/button', { x: '1' })
  server.repository.commit('svc/button', { x: '2' })
  t.same(await host.createBranch(change), { commit, created: false })
  t.equal(
    await failureOf(host.createBranch({ ...change, operation: 'five' })).then((failure) => failure?.code),
    'conflict',
  )
})

t.test('a repository that was renamed is followed, another host never', async (t) => {
  const { server, host } = await started(t)
  const base = await host.head()
  server.rename('new-site')
  t.match(await propose(host, base), { number: 1, state: 'open' })
  t.ok(server.asked.every(({ authorization }) => authorization === `token ${server.token}`))

  const seen: string[] = []
  const other = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end('{}')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const place = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  for (const location of [
    `${place}/repos`,
    `//127.0.0.1:${place.split(':').at(-1)}/x`,
    'https://api.github.com/x',
  ]) {
    server.fault({ answer: { status: 302, headers: { location } } })
    t.match(
      await failureOf(host.head()),
      { code: 'invalid', message: /where the token is not sent/ },
      location,
    )
  }
  server.fault({ answer: { status: 301, headers: { location: '/round' } }, times: 10 })
  t.match(await failureOf(host.head()), { code: 'unavailable', message: /again and again/ })
  t.same(seen, [])
})

t.test('errors name the cause and the remedy', async (t) => {
  const { server, host } = await started(t)
  const checked = async (code: string, message: RegExp) => {
    const check = await host.check()
    t.match(check, { ok: false, code, message })
    t.notMatch(check.message, server.token)
  }
  server.grant({ push: false })
  await checked('unauthorised', /needs to write/)
  const base = server.repository.git('rev-parse', 'main')
  t.match(await failureOf(propose(host, base)), { code: 'unauthorised', retryable: false })
  server.grant({ push: true, archived: true })
  await checked('unsupported', /archived/)
  t.match(await failureOf(propose(host, base)), { code: 'unsupported' })
  server.grant({ archived: false, valid: false })
  await checked('unauthorised', /has expired: connect the repository with a new one/)
  server.grant({ valid: true })
  server.fault({ answer: { status: 403, headers: { 'x-github-sso': 'required' } } })
  await checked('unauthorised', /single sign-on/)
  t.match(await connect(server, { repository: 'acme/nothing' }).check(), { ok: false, code: 'not_found' })
  t.match(await connect(server, { branch: 'gone' }).check(), { code: 'gone', message: /no branch gone/ })
  t.match(await connect(server, { branch: undefined }).check(), { ok: true, branch: 'main' })
  server.protect(/^svc\//)
  t.match(await failureOf(propose(host, base)), { code: 'protected', retryable: false })
  await server.close()
  await checked('unavailable', /cannot be reached/)

  const empty = await startGitHubServer(t, {})
  t.match(await connect(empty).check(), { ok: false, code: 'empty', message: /push one/ })

  const refused = (options: Partial<GitHubOptions>) =>
    failureOf(Promise.resolve().then(() => connect(server, options))).then((failure) => failure?.code)
  for (const baseUrl of [
    'http://github.example',
    'https://me:pw@github.example',
    'ftp://x',
    'x',
    'https://x/?y',
  ])
    t.equal(await refused({ baseUrl }), 'invalid', baseUrl)
  for (const repository of ['site', 'a/b/c', '../x', 'a/..', 'a/b?c', ''])
    t.equal(await refused({ repository }), 'invalid', repository)
  t.equal(await refused({ token: 'two words' }), 'unauthorised')
})

t.test('a move that a comparison does not list is found by content', async (t) => {
  const lines = (text: string) => Array.from({ length: 20 }, (_, n) => `${text} ${n}\n`).join('')
  const many = (folder: string) =>
    Object.fromEntries(Array.from({ length: 310 }, (_, n) => [`${folder}/${n}.txt`, `${n}\n`]))
  const { server, host } = await started(t, {
    files: { 'z/hero.html': lines('hero'), 'z/same.html': lines('same'), 'z/gone.html': lines('gone') },
  })
  const from = await host.head()
  server.repository.commit('main', {
    ...many('a'),
    'z/hero.html': null,
    'z/same.html': null,
    'z/gone.html': null,
    'zz/hero.html': `${lines('hero')}more\n`,
    'zz/other.html': lines('something else'),
    'zz/renamed.html': lines('same'),
  })
  const to = await host.head()
  t.match(await host.compare(from, to), { complete: false })
  const files = ['hero', 'same', 'gone'].map((name) => ({
    path: `z/${name}.html`,
    blob: server.repository.git('rev-parse', `${from}:z/${name}.html`),
  }))
  t.same(
    (await locateFiles(host, { from, to, files })).map(({ state, movedTo }) => [state, movedTo]),
    [
      ['moved', 'zz/hero.html'],
      ['moved', 'zz/renamed.html'],
      ['gone', null],
    ],
  )
})
