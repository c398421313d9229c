import { isUtf8 } from 'node:buffer'
import { carriesOperation, cleanAuthor, commitMessage, secondsOf } from '../commit-message.js'
import { RepositoryError } from '../errors.js'
import { checkedBranch, checkedId, foldersOf } from '../names.js'
import type { BranchChange, CreatedBranch, FailedBranch, FileWrite, TreeEntry } from '../port.js'
import { branchInTheWay, branchTaken, nothingChanged, validateWrites } from '../validate-writes.js'
import type { GitHubClient } from './client.js'
import { toNewObjectError } from './error-mapping.js'
import { idIn, objectOf, objectsOf, textIn } from './json.js'
import type { Trees } from './tree.js'

/** Pages of 100 commits that are searched for an operation. */
const MAX_PAGES = 10

/**
 * Creates blobs, one tree, one commit, and the reference last. The host refuses an existing reference; then
 * it is read again.
 */
export async function createBranch(
  client: GitHubClient,
  trees: Trees,
  change: BranchChange,
  signal?: AbortSignal,
): Promise<CreatedBranch> {
  const branch = checkedBranch(change.branch)
  const base = checkedId(change.base)
  const tip = await refTo(client, branch, signal)
  const isReplaced = tip !== undefined && tip === change.replaces
  if (tip !== undefined && !isReplaced)
    return { commit: await findOperation(client, change, tip, signal), created: false }
  const paths = change.files.map((file) => file.path)
  const entries = await trees.folders(base, paths, signal)
  validateWrites(change.files, entries)
  const tree = await writeTree(client, change, entries, signal)
  const author = { ...cleanAuthor(change.author), date: dateOf(change) }
  const { data } = await client.json(
    'POST /repos/{owner}/{repo}/git/commits',
    {
      message: commitMessage(change.message, change.operation),
      tree,
      parents: [base],
      author,
      committer: author,
    },
    { signal, what: 'making a commit', isOfNewObject: true },
  )
  const commit = idIn(objectOf(data, 'a commit'))
  if (isReplaced) {
    // People may have pushed meanwhile, and GitHub moves a branch without comparing.
    const now = await refTo(client, branch, signal)
    if (now !== undefined && now !== tip)
      return { commit: await findOperation(client, change, now, signal), created: false }
    await client.json(
      'PATCH /repos/{owner}/{repo}/git/refs/{ref}',
      { ref: `heads/${branch}`, sha: commit, force: true },
      { signal, what: `moving the branch ${branch}`, isOfNewObject: true },
    )
    return { commit, created: true }
  }
  try {
    await client.json(
      'POST /repos/{owner}/{repo}/git/refs',
      { ref: `refs/heads/${branch}`, sha: commit },
      { signal, what: `making the branch ${branch}` },
    )
    return { commit, created: true }
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    const refusal = toNewObjectError(error)
    if (refusal === error) throw error
    // Another process may have been faster, or the response of an earlier attempt was lost.
    const other = await refTo(client, branch, signal)
    if (other !== undefined)
      return { commit: await findOperation(client, change, other, signal), created: false }
    for (const above of foldersOf(branch))
      if ((await refTo(client, above, signal)) !== undefined) throw branchInTheWay(above)
    throw refusal
  }
}

/** Deletes a branch that ends at the one commit of an operation. Any other branch stays. */
export async function deleteBranch(
  client: GitHubClient,
  { branch, operation, author }: FailedBranch,
  signal?: AbortSignal,
): Promise<void> {
  const name = checkedBranch(branch)
  const tip = await refTo(client, name, signal)
  if (tip === undefined) return
  const { data } = await client.json(
    'GET /repos/{owner}/{repo}/git/commits/{tip}',
    { tip },
    { signal, what: 'reading a commit', isOfNewObject: true },
  )
  const commit = objectOf(data, 'a commit')
  const { email } = cleanAuthor(author)
  const isOwn = textIn(objectOf(commit.committer, 'a committer'), 'email') === email
  if (!isOwn || !carriesOperation(textIn(commit, 'message'), operation)) return
  await client.raw(
    'DELETE /repos/{owner}/{repo}/git/refs/{ref}',
    { ref: `heads/${name}` },
    { signal, what: `deleting the branch ${name}`, isOfNewObject: true },
  )
}

/** The commit of a branch. */
export async function refTo(
  client: GitHubClient,
  branch: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const { data } = await client.json(
      'GET /repos/{owner}/{repo}/git/ref/{ref}',
      { ref: `heads/${branch}` },
      { signal, what: `looking at the branch ${branch}`, conditional: true },
    )
    return idIn(objectOf(objectOf(data, 'a reference').object, 'a reference'))
  } catch (error) {
    if (error instanceof RepositoryError && error.code === 'not_found') return undefined
    throw error
  }
}

/**
 * The commit of an operation on the branch that ends at `tip`.
 *
 * @throws RepositoryError if the branch has none
 */
async function findOperation(
  client: GitHubClient,
  change: BranchChange,
  tip: string,
  signal?: AbortSignal,
): Promise<string> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    // Oldest first, because commits pushed on top may have copied the message.
    const { data, more } = await client.json(
      'GET /repos/{owner}/{repo}/compare/{range}',
      { range: `${change.base}...${tip}`, per_page: 100, page },
      { signal, what: `looking through the branch ${change.branch}`, isOfNewObject: true },
    )
    for (const each of objectsOf(objectOf(data, 'a comparison').commits, 'commits')) {
      const message = textIn(objectOf(each.commit, 'a commit'), 'message')
      if (carriesOperation(message, change.operation)) return idIn(each)
    }
    if (!more) break
  }
  throw branchTaken(change.branch)
}

async function writeTree(
  client: GitHubClient,
  change: BranchChange,
  entries: ReadonlyMap<string, TreeEntry>,
  signal?: AbortSignal,
): Promise<string> {
  const tree: Record<string, unknown>[] = []
  for (const file of change.files) tree.push(await treeRecord(client, file, entries.get(file.path), signal))
  const { data: before } = await client.json(
    'GET /repos/{owner}/{repo}/git/commits/{base}',
    { base: change.base },
    { signal, what: 'reading a commit', conditional: true, isOfNewObject: true },
  )
  const base_tree = idIn(objectOf(objectOf(before, 'a commit').tree, 'a tree'))
  const { data } = await client.json(
    'POST /repos/{owner}/{repo}/git/trees',
    { base_tree, tree },
    { signal, what: 'writing files', isOfNewObject: true },
  )
  const id = idIn(objectOf(data, 'a tree'))
  if (id === base_tree) throw nothingChanged()
  return id
}

async function treeRecord(
  client: GitHubClient,
  file: FileWrite,
  before: TreeEntry | undefined,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const executable = file.executable ?? before?.kind === 'executable'
  const record = { path: file.path, mode: executable ? '100755' : '100644', type: 'blob' }
  if (file.content === null) return { ...record, sha: null }
  // Text is sent within the tree; anything else needs its own blob.
  if (isUtf8(file.content)) return { ...record, content: Buffer.from(file.content).toString('utf8') }
  const { data } = await client.json(
    'POST /repos/{owner}/{repo}/git/blobs',
    { content: Buffer.from(file.content).toString('base64'), encoding: 'base64' },
    { signal, what: 'writing a file', isOfNewObject: true },
  )
  return { ...record, sha: idIn(objectOf(data, 'a blob')) }
}

function dateOf(change: BranchChange): string {
  return new Date(secondsOf(change.date) * 1000).toISOString().replace('.000Z', 'Z')
}
