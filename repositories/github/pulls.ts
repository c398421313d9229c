import { carriesOperation, operationLine } from '../commit-message.js'
import { RepositoryError } from '../errors.js'
import { checkedBranch } from '../names.js'
import type { KnownPullRequest, PullRequest, PullRequestDraft } from '../port.js'
import type { GitHubClient } from './client.js'
import { toNewObjectError } from './error-mapping.js'
import { idIn, type Json, objectOf, objectsOf, textIn, textOrNone, webAddressIn, wholeIn } from './json.js'

/** Pages of 100 pull requests of a branch that are searched. */
const MAX_PAGES = 10

/**
 * Opens a pull request unless there is one. Searches before, and again if the host answers that there is one.
 */
export async function openPullRequest(
  client: GitHubClient,
  base: string,
  text: PullRequestDraft,
  signal?: AbortSignal,
): Promise<PullRequest> {
  const head = checkedBranch(text.branch)
  const found = await findPullRequest(client, text, signal)
  if (found !== undefined) return found
  // An invisible marker. It finds the pull request if people delete the branch or amend its commits.
  const body = `${text.body.trimEnd()}\n\n<!--\n${operationLine(text.operation)}\n-->`
  try {
    const { data } = await client.json(
      'POST /repos/{owner}/{repo}/pulls',
      { title: text.title, head, base, body, maintainer_can_modify: true },
      { signal, what: 'opening a pull request' },
    )
    return pullRequestIn(objectOf(data, 'a pull request'))
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    const refusal = toNewObjectError(error)
    if (refusal === error) throw error
    const other = await findPullRequest(client, text, signal)
    if (other !== undefined) return other
    throw refusal
  }
}

/** The pull request of a branch: the open one, else the last one of the operation. */
async function findPullRequest(
  client: GitHubClient,
  known: Pick<KnownPullRequest, 'branch' | 'commit' | 'operation'>,
  signal?: AbortSignal,
): Promise<PullRequest | undefined> {
  let closed: Json | undefined
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { data, more } = await client.json(
      'GET /repos/{owner}/{repo}/pulls',
      {
        state: 'all',
        head: `${client.owner}:${known.branch}`,
        sort: 'created',
        direction: 'desc',
        per_page: 100,
        page,
      },
      { signal, what: 'looking for a pull request', conditional: true, isOfNewObject: true },
    )
    for (const pull of objectsOf(data, 'pull requests')) {
      const head = objectOf(pull.head, 'the head of a pull request')
      // A host that ignores the filter returns all.
      if (textIn(head, 'ref') !== known.branch || isFork(pull)) continue
      if (pull.state === 'open') return pullRequestIn(pull)
      const own =
        textOrNone(head, 'sha') === known.commit ||
        carriesOperation(textOrNone(pull, 'body') ?? '', known.operation)
      if (own) closed ??= pull
    }
    if (!more) break
  }
  return closed === undefined ? undefined : pullRequestIn(closed)
}

export async function readPullRequest(
  client: GitHubClient,
  known: KnownPullRequest,
  signal?: AbortSignal,
): Promise<PullRequest> {
  if (known.number === null) {
    const found = await findPullRequest(client, known, signal)
    if (found !== undefined) return found
    throw new RepositoryError('gone', `there is no pull request of the branch ${known.branch} any more`)
  }
  const { data } = await client.json(
    'GET /repos/{owner}/{repo}/pulls/{number}',
    { number: known.number },
    { signal, what: `looking at pull request ${known.number}`, conditional: true, isOfNewObject: true },
  )
  return pullRequestIn(objectOf(data, 'a pull request'))
}

function isFork(pull: Json): boolean {
  const repositoryOf = (side: unknown): unknown => {
    const repo = objectOf(side, 'a pull request').repo
    return repo instanceof Object && 'full_name' in repo ? repo.full_name : null
  }
  const from = repositoryOf(pull.head)
  return from !== null && from !== repositoryOf(pull.base)
}

/** Lists have no `merged`, but both forms have the time of the merge. */
function pullRequestIn(pull: Json): PullRequest {
  const merged = pull.merged === true || typeof pull.merged_at === 'string'
  return {
    number: wholeIn(pull, 'number'),
    url: webAddressIn(pull, 'html_url'),
    state: merged ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    mergeCommit: merged ? textOrNone(pull, 'merge_commit_sha') : undefined,
    head: idIn(objectOf(pull.head, 'the head of a pull request')),
  }
}
