import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorReason } from '../../runtime/errors.js'
import { carriesOperation, cleanAuthor, commitMessage, operationLine, secondsOf } from '../commit-message.js'
import { RepositoryError } from '../errors.js'
import { checkedBranch, checkedId } from '../names.js'
import type { BranchChange, CreatedBranch, FailedBranch, FileWrite } from '../port.js'
import { branchTaken, nothingChanged, validateWrites } from '../validate-writes.js'
import type { Git } from './git.js'
import type { GitObjectCache } from './git-object-cache.js'
import { lookUpObjects, tipOf } from './object-lookup.js'
import { readFolders } from './tree.js'
import { writeTree } from './write-tree.js'

/** Writes a branch itself, also if people made it a symbolic reference to another one. */
const PLAIN_REFS = 'option no-deref\0'

/** Commits of a branch that are searched for an operation. */
const MAX_BRANCH_COMMITS = 1000

/**
 * Makes one commit on a new branch from objects and one reference, without touching a work tree or an index.
 * Creates the reference last and only if it does not exist: of two services one creates it and the other
 * finds it. After a crash before that, git's garbage collection removes the objects.
 */
export async function createBranch(
  git: Git,
  change: BranchChange,
  folders: GitObjectCache['folders'],
  signal?: AbortSignal,
): Promise<CreatedBranch> {
  const branch = checkedBranch(change.branch)
  const base = checkedId(change.base)
  const [tip, before] = await lookUpObjects(git, [tipOf(branch), `${base}^{tree}`], signal)
  const isReplaced = tip !== undefined && tip === change.replaces
  if (tip !== undefined && (!isReplaced || (await isCheckedOut(git, branch, signal))))
    return { commit: await findOperation(git, change, tip, signal), created: false }
  const paths = change.files.map((file) => file.path)
  const entries = await readFolders(git, base, paths, folders, signal)
  validateWrites(change.files, entries)
  const tree = await writeFiles(git, base, change.files, signal)
  if (tree === before) throw nothingChanged()
  const commit = await writeCommit(git, base, tree, change, signal)
  try {
    await git.run(['update-ref', '--stdin', '-z'], {
      input: isReplaced
        ? `${PLAIN_REFS}update refs/heads/${branch}\0${commit}\0${tip}\0`
        : `${PLAIN_REFS}create refs/heads/${branch}\0${commit}\0`,
      env: identity(change),
      signal,
    })
  } catch (error) {
    // Another process or people may have created or moved it since the lookup.
    if (!(error instanceof RepositoryError) || error.code !== 'conflict') throw error
    const [other] = await lookUpObjects(git, [tipOf(branch)], signal)
    if (other === undefined) throw error
    return { commit: await findOperation(git, change, other, signal), created: false }
  }
  return { commit, created: true }
}

/** Deletes a branch that ends at the one commit of an operation. Any other branch stays. */
export async function deleteBranch(
  git: Git,
  { branch, operation, author }: FailedBranch,
  signal?: AbortSignal,
): Promise<void> {
  const name = checkedBranch(branch)
  const [tip] = await lookUpObjects(git, [tipOf(name)], signal)
  if (tip === undefined || (await isCheckedOut(git, name, signal))) return
  const shown = String(await git.run(['log', '-1', '--format=%ce%n%B', tip, '--'], { signal }))
  const isOwn = shown.startsWith(`${cleanAuthor(author).email}\n`)
  if (!isOwn || !carriesOperation(shown, operation)) return
  await git.run(['update-ref', '--stdin', '-z'], {
    input: `${PLAIN_REFS}delete refs/heads/${name}\0${tip}\0`,
    signal,
  })
}

/**
 * The commit of an operation on the branch that ends at `tip`.
 *
 * @throws RepositoryError if the branch has none
 */
async function findOperation(
  git: Git,
  change: BranchChange,
  tip: string,
  signal?: AbortSignal,
): Promise<string> {
  const line = operationLine(change.operation).replaceAll('.', '[.]')
  const found = await git.run(
    ['rev-list', '-E', `--grep=^${line}$`, `--max-count=${MAX_BRANCH_COMMITS}`, tip, `^${change.base}`, '--'],
    { signal },
  )
  // The oldest, because commits pushed on top may have copied the message.
  const commit = String(found).trim().split('\n').at(-1)
  if (commit !== undefined && commit !== '') return commit
  throw branchTaken(change.branch)
}

/** Whether a work tree has a branch checked out, which must not move below the people who work there. */
async function isCheckedOut(git: Git, branch: string, signal?: AbortSignal): Promise<boolean> {
  const folder = await git.run(['for-each-ref', '--format=%(worktreepath)', `refs/heads/${branch}`], {
    signal,
  })
  return String(folder).trim() !== ''
}

async function writeFiles(
  git: Git,
  base: string,
  files: readonly FileWrite[],
  signal?: AbortSignal,
): Promise<string> {
  const folder = await temporaryFolder()
  try {
    await git.giveTo(folder)
    const blobs = await writeBlobs(git, folder, files, signal)
    const placed = files.map(({ path, executable }, index) => ({
      path,
      blob: blobs[index] ?? null,
      mode: executable === undefined ? null : executable ? '100755' : '100644',
    }))
    return await writeTree(git, base, placed, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Writes contents as blobs with one git process. Returns ids in the order of the files; undefined for a
 * deleted file.
 */
async function writeBlobs(
  git: Git,
  folder: string,
  files: readonly FileWrite[],
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  const paths = new Map<FileWrite, string>()
  for (const [index, file] of files.entries()) {
    if (file.content === null) continue
    const path = join(folder, String(index))
    await writeFile(path, file.content).catch(refuseTemporary)
    await git.giveTo(path)
    paths.set(file, path)
  }
  if (paths.size === 0) return files.map(() => undefined)
  // No filters: the content is written as it is.
  const said = await git.run(['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin-paths'], {
    input: [...paths.values(), ''].join('\n'),
    signal,
  })
  const ids = String(said).split('\n')
  return files.map((file) => (paths.has(file) ? ids.shift() : undefined))
}

async function writeCommit(
  git: Git,
  base: string,
  tree: string,
  change: BranchChange,
  signal?: AbortSignal,
): Promise<string> {
  const commit = await git.run(['commit-tree', '--no-gpg-sign', '-p', base, '-F', '-', tree], {
    input: commitMessage(change.message, change.operation),
    env: identity(change),
    signal,
  })
  return String(commit).trim()
}

/** Fixes author and date, so that the same change gives the same commit id every time. */
function identity(change: BranchChange): Record<string, string> {
  const { name, email } = cleanAuthor(change.author)
  const date = `@${secondsOf(change.date)} +0000`
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
}

async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'svc-files-')).catch(refuseTemporary)
}

function refuseTemporary(error: unknown): never {
  const code = errorReason(error)
  throw new RepositoryError(
    code === 'ENOSPC' ? 'disk_full' : 'unavailable',
    `no file can be made in ${tmpdir()} (${code}): make room there`,
  )
}
