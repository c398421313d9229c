import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { RepositoryError } from '../errors.js'
import { BRANCH_FOLDER, checkedBranch, checkedId } from '../names.js'
import type { KnownPullRequest, PullRequest, RepositoryHost } from '../port.js'
import { runCheck } from '../run-check.js'
import { branchInTheWay } from '../validate-writes.js'
import { branchOf, headOf, withoutBase } from './base.js'
import { createBranch, deleteBranch } from './commit.js'
import { compareCommits } from './compare-commits.js'
import { type Git, gitIn, gitVersion } from './git.js'
import { checkWritable, gitDirOf } from './git-dir.js'
import { PARTIAL_CLONE } from './git-errors.js'
import { createGitObjectCache } from './git-object-cache.js'
import { findMerge, type Merged, type Proposed } from './merged.js'
import { lookUpObjects, tipOf } from './object-lookup.js'
import { readFolders, readTree } from './tree.js'

export interface LocalOptions {
  /** Absolute path of a work tree or a bare repository. */
  readonly path: string
  /** The base branch. Defaults to the one that HEAD names, which changes with every checkout. */
  readonly branch?: string | undefined
  /** The folders in which git is searched, in the form of PATH. */
  readonly searchPath?: string | undefined
  /** For one run of git, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'
const TIMEOUT_MS = 60_000
const MERGE_CACHE_BYTES = 1024 * 1024
const OLDEST_GIT = [2, 30] as const

/**
 * A repository on this machine, without touching a work tree or an index. A pull request is its branch; the
 * caller keeps number, title and text. Only objects are cached between calls, so changes by people are seen
 * at once.
 */
export function localHost(options: LocalOptions): RepositoryHost {
  const { path } = options
  const searchPath = options.searchPath ?? SEARCH_PATH
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const closing = new AbortController()
  const objects = createGitObjectCache()
  const mergeOf = cachedMergeLookup()

  const open = async (): Promise<Git> => {
    if (closing.signal.aborted) throw new RepositoryError('cancelled', 'the repository is closed')
    return gitIn({ ...(await gitDirOf(path)), searchPath, timeoutMs, closing: closing.signal })
  }
  const check = async (signal?: AbortSignal): Promise<string> => {
    assertSupported(await gitVersion(searchPath, timeoutMs))
    const git = await open()
    await refusePartialClone(git, signal)
    await headOf(git, options.branch, signal)
    const [inTheWay] = await lookUpObjects(git, [tipOf(BRANCH_FOLDER)], signal)
    if (inTheWay !== undefined) throw branchInTheWay(BRANCH_FOLDER)
    const common = String(await git.run(['rev-parse', '--git-common-dir'], { signal })).trim()
    const folder = resolve((await gitDirOf(path)).cwd, common)
    for (const part of ['objects', 'refs']) await checkWritable(join(folder, part))
    return branchOf(git, options.branch, signal)
  }

  const pullRequest = async (known: KnownPullRequest, signal?: AbortSignal): Promise<PullRequest> => {
    const git = await open()
    const name = checkedBranch(known.branch)
    const commit = checkedId(known.commit)
    const baseName = await branchOf(git, options.branch, signal)
    // In this order: a branch merged and then deleted counts as merged.
    const [tip, base, start] = await lookUpObjects(git, [tipOf(name), tipOf(baseName), `${commit}^`], signal)
    if (base === undefined) throw await withoutBase(git, baseName, signal)
    const last = tip ?? known.head ?? commit
    const merged = await mergeOf(git, base, start, { commit, head: last, operation: known.operation }, signal)
    const state = merged !== undefined ? 'merged' : tip === undefined ? 'closed' : 'open'
    return { number: null, url: null, state, mergeCommit: merged?.mergeCommit, head: last }
  }

  return {
    kind: 'local',
    name: path,
    check: (signal) => runCheck({ name: path, branch: options.branch }, () => check(signal)),
    branch: async (signal) => branchOf(await open(), options.branch, signal),
    head: async (signal) => headOf(await open(), options.branch, signal),
    tree: async (commit, signal) => readTree(await open(), checkedId(commit), signal),
    entries: async (commit, paths, signal) =>
      readFolders(await open(), checkedId(commit), paths, objects.folders, signal),
    async *readBlobs(ids, read) {
      yield* objects.blobs(await open(), ids, read)
    },
    compare: async (from, to, signal) => compareCommits(await open(), checkedId(from), checkedId(to), signal),
    createBranch: async (change, signal) => createBranch(await open(), change, objects.folders, signal),
    deleteBranch: async (failed, signal) => deleteBranch(await open(), failed, signal),
    openPullRequest: (text, signal) => pullRequest({ ...text, number: null }, signal),
    pullRequest: (known, signal) => pullRequest(known, signal),
    async poll(token, signal) {
      const git = await open()
      const refs = await git.run(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads'], {
        signal,
      })
      const now = createHash('sha256').update(refs).digest('base64url')
      return { token: now, changed: now !== token }
    },
    async close() {
      closing.abort()
    },
  }
}

/** @throws RepositoryError if git is too old */
function assertSupported(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]))
    throw new RepositoryError('unsupported', `git ${version} is too old: install git 2.30 or later`)
}

/** @throws RepositoryError if objects are fetched only when they are needed, which svc never does */
async function refusePartialClone(git: Git, signal: AbortSignal | undefined): Promise<void> {
  const keys = '^(extensions[.]partialclone|remote[.].*[.](promisor|partialclonefilter))$'
  const said = String(await git.run(['config', '--get-regexp', keys], { alsoFine: [1], signal }))
  if (said.split('\n').some((line) => line !== '' && !line.endsWith(' false')))
    throw new RepositoryError('unsupported', PARTIAL_CLONE)
}

/** Finds the merge of a proposed commit. Cached, because the result for the same commits never changes. */
function cachedMergeLookup() {
  const results = new LruCache<{ readonly merged: Merged | undefined }>(MERGE_CACHE_BYTES)
  return async (
    git: Git,
    base: string,
    start: string | undefined,
    proposed: Proposed,
    signal?: AbortSignal,
  ): Promise<Merged | undefined> => {
    // The base branch has not changed since.
    if (start === undefined || start === base) return undefined
    const name = JSON.stringify([base, proposed])
    const known = results.get(name)
    if (known !== undefined) return known.merged
    const merged = await findMerge(git, base, start, proposed, signal)
    results.set(name, { merged }, 100)
    return merged
  }
}
