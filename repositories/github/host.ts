import { RepositoryError } from '../errors.js'
import { BRANCH_FOLDER, checkedBranch, checkedId } from '../names.js'
import type { ComparedFile, Comparison, RepositoryHost } from '../port.js'
import { runCheck } from '../run-check.js'
import { branchInTheWay } from '../validate-writes.js'
import { readBlobs } from './blobs.js'
import { type GitHubClient, type GitHubOptions, githubClient } from './client.js'
import { createBranch, deleteBranch, refTo } from './commit.js'
import { type Json, objectOf, objectsOf, textIn, textOrNone } from './json.js'
import { openPullRequest, readPullRequest } from './pulls.js'
import { treesOf } from './tree.js'

/** Maximum number of files that GitHub lists in a comparison. */
const MAX_COMPARED = 300

/**
 * A repository at GitHub or an Enterprise server, by its REST API.
 *
 * @throws RepositoryError if the options are not an address, a repository and a token
 */
export function githubHost(options: GitHubOptions): RepositoryHost {
  const client = githubClient(options)
  const trees = treesOf(client)

  const branch = async (signal?: AbortSignal): Promise<string> =>
    options.branch === undefined
      ? textIn(await readRepository(client, signal), 'default_branch')
      : checkedBranch(options.branch)
  const head = async (signal?: AbortSignal): Promise<string> => {
    const name = await branch(signal)
    const commit = await refTo(client, name, signal)
    if (commit !== undefined) return commit
    // A missing repository gives the same response; a request for the repository tells the two apart.
    await readRepository(client, signal)
    throw new RepositoryError(
      'gone',
      `there is no branch ${name}: make it again, or connect the repository with the --branch that takes its place`,
    )
  }
  const check = async (signal?: AbortSignal): Promise<string> => {
    assertUsable(await readRepository(client, signal))
    await head(signal)
    if ((await refTo(client, BRANCH_FOLDER, signal)) !== undefined) throw branchInTheWay(BRANCH_FOLDER)
    return branch(signal)
  }

  return {
    kind: 'github',
    name: options.repository,
    check: (signal) => runCheck({ name: options.repository, branch: options.branch }, () => check(signal)),
    branch,
    head,
    tree: async (commit, signal) => trees.all(checkedId(commit), signal),
    entries: async (commit, paths, signal) => trees.folders(checkedId(commit), paths, signal),
    readBlobs: (ids, read) => readBlobs(client, ids, read),
    compare: async (from, to, signal) => compareCommits(client, checkedId(from), checkedId(to), signal),
    createBranch: (change, signal) => createBranch(client, trees, change, signal),
    deleteBranch: (failed, signal) => deleteBranch(client, failed, signal),
    openPullRequest: async (text, signal) => openPullRequest(client, await branch(signal), text, signal),
    pullRequest: (known, signal) => readPullRequest(client, known, signal),
    async poll(token, signal) {
      const before = tokenParts(token)
      const base = await head(signal)
      const { etag, unchanged } = await client.json(
        'GET /repos/{owner}/{repo}/pulls',
        { state: 'all', sort: 'updated', direction: 'desc', per_page: 100 },
        { signal, what: 'looking at pull requests', etag: before?.etag },
      )
      const now = `${base} ${etag ?? ''}`
      return { token: now, changed: !unchanged || before?.base !== base }
    },
    async close() {
      client.close()
    },
  }
}

/** The repository as GitHub describes it. */
async function readRepository(client: GitHubClient, signal?: AbortSignal): Promise<Json> {
  const { data } = await client.json(
    'GET /repos/{owner}/{repo}',
    {},
    { signal, what: 'looking at the repository', conditional: true },
  )
  return objectOf(data, 'a repository')
}

/** @throws RepositoryError if the repository is archived or disabled, or the token may not write */
function assertUsable(repository: Json): void {
  if (repository.archived === true || repository.disabled === true)
    throw new RepositoryError('unsupported', 'the repository is archived or disabled: open it again')
  const rights = repository.permissions
  if (rights instanceof Object && 'push' in rights && rights.push !== true)
    throw new RepositoryError(
      'unauthorised',
      'the token may only read: it needs to write contents and pull requests of the repository',
    )
}

async function compareCommits(
  client: GitHubClient,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<Comparison> {
  try {
    const { data } = await client.json(
      'GET /repos/{owner}/{repo}/compare/{range}',
      { range: `${from}...${to}`, per_page: 1 },
      { signal, what: 'comparing two commits' },
    )
    const answer = objectOf(data, 'a comparison')
    const files = objectsOf(answer.files ?? [], 'files').map(comparedFile)
    // GitHub compares the second commit with the merge base, not with the first commit.
    const straight = answer.status === 'ahead' || answer.status === 'identical'
    return { files: straight ? files : [], complete: straight && files.length < MAX_COMPARED }
  } catch (error) {
    if (error instanceof RepositoryError && error.code === 'not_found') return { files: [], complete: false }
    throw error
  }
}

/** The commit and the ETag in a poll token; undefined for a token of another kind of host. */
function tokenParts(
  token: string | undefined,
): { readonly base: string; readonly etag: string | undefined } | undefined {
  const [, base, etag] = /^([0-9a-f]+) (.*)$/s.exec(token ?? '') ?? []
  return base === undefined ? undefined : { base, etag: etag === '' ? undefined : etag }
}

function comparedFile(file: Json): ComparedFile {
  const path = textIn(file, 'filename')
  const status = textIn(file, 'status')
  if (status === 'renamed')
    return { path, status, previousPath: textIn(file, 'previous_filename'), blob: textOrNone(file, 'sha') }
  const known =
    status === 'added' || status === 'removed' ? status : status === 'copied' ? 'added' : 'modified'
  return {
    path,
    status: known,
    previousPath: undefined,
    blob: known === 'removed' ? undefined : textOrNone(file, 'sha'),
  }
}
