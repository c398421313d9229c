import { type Call, page, Refused, type Result } from './answers.js'
import { type Hosted, type Pull, TIME } from './hosted.js'

/** Lists, shows and creates pull requests. */
export function pullRoutes({ owner, name, pulls, git, tipOf, notEmpty }: Hosted, pageLimit: number) {
  const fullName = () => `${owner}/${name()}`
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
  const listPulls = (call: Call): Result => {
    const state = call.query.get('state') ?? 'open'
    const head = call.query.get('head')
    const base = call.query.get('base')
    const sort = call.query.get('sort') ?? 'created'
    const all = pulls
      .filter((pull) => state === 'all' || pull.state === state)
      // GitHub ignores a filter without an owner.
      .filter((pull) => head === null || !head.includes(':') || head === `${owner}:${pull.branch}`)
      .filter((pull) => base === null || pull.base === base)
      .sort((a, b) => (sort === 'updated' ? b.changes - a.changes : 0) || b.number - a.number)
    const { some, more } = page(call, all, pageLimit)
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

  return { shownRepository, shownPull, listPulls, makePull }
}
