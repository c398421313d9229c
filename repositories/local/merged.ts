import { carriesOperation } from '../commit-message.js'
import { isObjectId } from '../names.js'
import { diffTree, holdsCommit } from './compare-commits.js'
import type { Git } from './git.js'

/**
 * Commits of the base branch, newest first, that are compared. A merge is polled every few seconds, so it is
 * recent.
 */
const MAX_COMMITS = 2000
/** Paths that select commits. Of a larger change only the first paths are used. */
const MAX_PATHS = 200

export interface Proposed {
  /** The service's commit on the branch. */
  readonly commit: string
  /** The last known commit of the branch: the same, or what people pushed or amended since. */
  readonly head: string
  readonly operation: string
}

/** How a change came into the base branch, and the commit that brought it if known. */
export interface Merged {
  readonly mergeCommit: string | undefined
}

/**
 * Finds out whether a change is in the base branch:
 *
 * 1. The branch's commit or the service's commit is in its history: a merge or a fast-forward.
 * 2. Every file of the change has the same content there: a squash, a rebase or an equivalent.
 * 3. A commit there has the same patch as the whole change, or each commit of the branch has a counterpart: a
 *    squash or a rebase, with later changes to the same files.
 * 4. A commit there carries the operation in its message: a squash or a rebase whose conflicts were resolved.
 *
 * A branch moved onto the base branch without its change is not among them.
 *
 * @param start the parent of the service's commit
 */
export async function findMerge(
  git: Git,
  base: string,
  start: string,
  proposed: Proposed,
  signal?: AbortSignal,
): Promise<Merged | undefined> {
  for (const commit of new Set([proposed.commit, proposed.head])) {
    // A head that people moved onto other commits is in the base branch without the change.
    if (
      commit !== proposed.commit &&
      !(await bringsOperation(git, start, commit, proposed.operation, signal))
    )
      continue
    if (await isAncestor(git, commit, base, signal))
      return { mergeCommit: await bringerOf(git, commit, base, signal) }
  }
  for (const head of new Set([proposed.head, proposed.commit])) {
    const change = await changeOf(git, start, head, base, signal)
    if (change === undefined || change.paths.length === 0) continue
    const commits = await commitsTouching(git, change, base, signal)
    if (commits.length === 0) continue
    if (await standsIn(git, base, change, signal)) return { mergeCommit: commits[0] }
    const patches = await patchesOf(git, commits, change.paths, signal)
    const whole = await patchBetween(git, change, head, signal)
    const mergeCommit =
      (whole === undefined ? undefined : patches.get(whole)) ??
      (await allAmong(git, change, head, patches, signal))
    if (mergeCommit !== undefined) return { mergeCommit }
  }
  const carrier = await carrierOf(git, start, base, proposed.operation, signal)
  return carrier === undefined ? undefined : { mergeCommit: carrier }
}

async function parentOf(git: Git, commit: string, signal?: AbortSignal): Promise<string | undefined> {
  if (!(await holdsCommit(git, commit, signal))) return undefined
  const said = await git.run(['rev-parse', '--verify', '--quiet', `${commit}^`], { alsoFine: [1], signal })
  return String(said).trim() || undefined
}

async function isAncestor(git: Git, commit: string, of: string, signal?: AbortSignal): Promise<boolean> {
  if (!(await holdsCommit(git, commit, signal))) return false
  // Uses the listing, because `--is-ancestor` reports by exit code only.
  const said = await git.run(['rev-list', '--max-count=1', commit, `^${of}`, '--'], { signal })
  return String(said).trim() === ''
}

/**
 * The first commit on the base branch's first-parent line that contains a commit: the merge, or the commit
 * itself.
 */
async function bringerOf(git: Git, commit: string, base: string, signal?: AbortSignal): Promise<string> {
  const line = idsIn(await git.run(['rev-list', '--first-parent', base, `^${commit}`, '--'], { signal }))
  // Newest first: commits up to the merge contain it, earlier ones do not.
  let having = -1
  let lacking = line.length
  while (lacking - having > 1) {
    const middle = Math.floor((having + lacking) / 2)
    if (await isAncestor(git, commit, line[middle] ?? base, signal)) having = middle
    else lacking = middle
  }
  const bringer = line[having]
  if (bringer === undefined || (await parentOf(git, bringer, signal)) === commit) return commit
  return bringer
}

interface Change {
  readonly from: string
  /** The blob of each path after the change; undefined if removed. */
  readonly blobs: ReadonlyMap<string, string | undefined>
  readonly paths: readonly string[]
}

/**
 * The change of a branch since it last left the base branch: people rebase it and merge the base branch into
 * it.
 */
async function changeOf(
  git: Git,
  start: string,
  head: string,
  base: string,
  signal?: AbortSignal,
): Promise<Change | undefined> {
  if (!(await holdsCommit(git, head, signal))) return undefined
  const common = await git.run(['merge-base', head, base], { alsoFine: [1], signal })
  const from = String(common).trim() || start
  const blobs = await blobsBetween(git, from, head, [], signal)
  return { from, blobs, paths: [...blobs.keys()].slice(0, MAX_PATHS) }
}

/** Whether every file of a change has the same content in a commit. */
async function standsIn(git: Git, commit: string, change: Change, signal?: AbortSignal): Promise<boolean> {
  if (change.paths.length < change.blobs.size) return false
  const now = await blobsBetween(git, change.from, commit, change.paths, signal)
  return change.paths.every((path) => now.has(path) && now.get(path) === change.blobs.get(path))
}

/** The blobs of all files that differ between two commits, as in the second. */
async function blobsBetween(
  git: Git,
  from: string,
  to: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string | undefined>> {
  const files = await diffTree(git, ['--no-renames', from, to, '--', ...paths], signal)
  return new Map(files.map(({ path, blob }) => [path, blob]))
}

async function commitsTouching(
  git: Git,
  change: Change,
  base: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const said = await git.run(
    [
      'rev-list',
      '--full-history',
      '--no-merges',
      `--max-count=${MAX_COMMITS}`,
      base,
      `^${change.from}`,
      '--',
      ...change.paths,
    ],
    { signal },
  )
  return idsIn(said)
}

const PATCH = [
  'diff-tree',
  '-p',
  '-r',
  '--root',
  // Without context lines, because neighbouring lines may have changed.
  '-U0',
  '--text',
  '--full-index',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
]

/** Commits by their patch id for these paths. The id ignores context lines and positions. */
async function patchesOf(
  git: Git,
  commits: readonly string[],
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let at = 0; at < commits.length; at += COMMITS_A_CALL) {
    const some = commits.slice(at, at + COMMITS_A_CALL)
    const diffs = await git.run([...PATCH, '--stdin', '--', ...paths], {
      input: `${some.join('\n')}\n`,
      signal,
    })
    for (const [patch = '', commit = ''] of await patchIds(git, diffs, signal))
      if (!found.has(patch)) found.set(patch, commit)
  }
  return found
}

/** Most commits whose patches are in memory at once. */
const COMMITS_A_CALL = 100

async function patchBetween(
  git: Git,
  change: Change,
  to: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const diff = await git.run([...PATCH, change.from, to, '--', ...change.paths], { signal })
  return (await patchIds(git, diff, signal))[0]?.[0]
}

/** Pairs of patch id and commit; the commit is zeros if there is none. */
async function patchIds(git: Git, diffs: Buffer, signal?: AbortSignal): Promise<string[][]> {
  const said = await git.run(['patch-id', '--stable'], { input: diffs, signal })
  return String(said)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
}

/** The last commit that has a patch of the branch's commits, if all have a counterpart. */
async function allAmong(
  git: Git,
  change: Change,
  head: string,
  patches: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const own = await git.run(
    ['rev-list', '--no-merges', `--max-count=${MAX_COMMITS}`, head, `^${change.from}`, '--'],
    { signal },
  )
  const ids = [...(await patchesOf(git, idsIn(own), change.paths, signal)).keys()]
  const found = ids.map((id) => patches.get(id))
  return found.every((commit) => commit !== undefined) ? found[0] : undefined
}

/** The last commit between two that carries an operation in its message. */
async function carrierOf(
  git: Git,
  start: string,
  to: string,
  operation: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const said = await git.run(
    [
      'rev-list',
      '-F',
      `--grep=${operation}`,
      `--max-count=${MAX_COMMITS}`,
      '--format=%x00%H%n%B',
      to,
      `^${start}`,
      '--',
    ],
    { signal },
  )
  for (const record of String(said).split('\0').slice(1)) {
    const end = record.indexOf('\n')
    if (carriesOperation(record.slice(end + 1), operation)) return record.slice(0, end)
  }
  return undefined
}

async function bringsOperation(
  git: Git,
  start: string,
  head: string,
  operation: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!(await holdsCommit(git, head, signal))) return false
  return (await carrierOf(git, start, head, operation, signal)) !== undefined
}

function idsIn(output: Buffer): string[] {
  return String(output).split('\n').filter(isObjectId)
}
