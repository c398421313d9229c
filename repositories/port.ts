import type { RepositoryErrorCode } from './errors.js'

/**
 * The repository of a workspace's code. Two adapters: git on this machine, and GitHub.
 *
 * Every method except `check` and `close` rejects with `RepositoryError` only. Commits, trees and blobs are
 * named by their full id in lower-case hexadecimal (40 or 64 digits). Paths are relative to the root of the
 * repository and use `/`.
 */
export interface RepositoryHost {
  readonly kind: 'local' | 'github'
  /** The path, or `owner/name`. */
  readonly name: string

  /** Whether pull requests are possible now. Never rejects. */
  check(signal?: AbortSignal): Promise<RepositoryCheck>

  /** The base branch without `refs/heads/`: the configured one, else the host's default. */
  branch(signal?: AbortSignal): Promise<string>

  /** The last commit of the base branch. */
  head(signal?: AbortSignal): Promise<string>

  /** Every file of a commit, often tens of thousands. */
  tree(commit: string, signal?: AbortSignal): Promise<readonly TreeEntry[]>

  /**
   * The entries of all folders above these paths, by path, subfolders included. Enough to see whether a path
   * exists, is behind a symbolic link or in a submodule, or differs from another one in case only. The cost
   * does not depend on the repository's size.
   */
  entries(
    commit: string,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, TreeEntry>>

  /**
   * The contents of blobs in the order of their ids, each once. Reads ahead only a little, so memory stays
   * small.
   */
  readBlobs(ids: Iterable<string>, options: ReadOptions): AsyncIterableIterator<ReadBlob>

  /** The files that differ between two commits, with renames. */
  compare(from: string, to: string, signal?: AbortSignal): Promise<Comparison>

  /**
   * Makes one commit of these files on a new branch. Idempotent at any time and from any process: the same
   * call finds the earlier commit by its id, which the arguments fix, or by `operation` in its message. A
   * branch of that name with neither is someone else's: `conflict`.
   */
  createBranch(change: BranchChange, signal?: AbortSignal): Promise<CreatedBranch>

  /**
   * Opens a pull request from a branch to the base branch. Finds an earlier one of the branch, also a closed
   * or merged one.
   */
  openPullRequest(text: PullRequestDraft, signal?: AbortSignal): Promise<PullRequest>

  /**
   * Deletes the branch of a pull request that was given up. It stays if anyone has pushed to it, amended it
   * or checked it out, or if it is not of this operation.
   */
  deleteBranch(branch: FailedBranch, signal?: AbortSignal): Promise<void>

  /** The current state of a pull request. */
  pullRequest(known: KnownPullRequest, signal?: AbortSignal): Promise<PullRequest>

  /**
   * Whether a pull request or the base branch may have changed since the poll that returned `token`, of any
   * process (undefined for the first poll). Cheap: every few seconds locally, every minute at GitHub, where
   * an unchanged answer does not count against the rate limit.
   */
  poll(token: string | undefined, signal?: AbortSignal): Promise<Poll>

  /** Ends all work of the host. Later calls reject. */
  close(): Promise<void>
}

export interface RepositoryCheck {
  readonly ok: boolean
  /** Undefined if everything is fine. */
  readonly code: RepositoryErrorCode | undefined
  /** One or two sentences: what is wrong and how to fix it. */
  readonly message: string
  /** The base branch, if known. */
  readonly branch: string | undefined
}

export interface TreeEntry {
  readonly path: string
  readonly kind: 'file' | 'executable' | 'symlink' | 'submodule' | 'folder'
  /** The id of the blob or tree; a submodule's commit. */
  readonly id: string
  /** Bytes. Undefined for folders and submodules, and for blobs that a partial clone lacks. */
  readonly size: number | undefined
  /** The name is not UTF-8: `path` has replacement characters, and nothing can be written there. */
  readonly unreadableName: boolean
}

export interface ReadOptions {
  /** Larger blobs are not read. */
  readonly maxBlobBytes: number
  readonly signal?: AbortSignal | undefined
}

export type ReadBlob =
  | {
      readonly id: string
      readonly state: 'read'
      readonly content: Uint8Array
      /** The blob is a Git LFS pointer to a file stored elsewhere. */
      readonly lfsPointer: boolean
    }
  | { readonly id: string; readonly state: 'too_large' | 'missing' }

export interface Comparison {
  readonly files: readonly ComparedFile[]
  /**
   * False if the host reported only some files or renames, or no longer has `from`. Then `files` may lack
   * some.
   */
  readonly complete: boolean
}

export interface ComparedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'removed' | 'renamed'
  /** The old path of a renamed file. */
  readonly previousPath: string | undefined
  /** The content afterwards; undefined if removed. */
  readonly blob: string | undefined
}

export interface Author {
  readonly name: string
  readonly email: string
}

export interface BranchChange {
  /** Without `refs/heads/`. */
  readonly branch: string
  /** The parent commit. */
  readonly base: string
  readonly message: string
  readonly author: Author
  /** For author and committer, in whole seconds. */
  readonly date: Date
  /** Names the operation, the same at every attempt: 1-100 of `A-Z a-z 0-9 - _ . : /`. */
  readonly operation: string
  readonly files: readonly FileWrite[]
  /**
   * The commit of an earlier call. If the branch still ends at it, and no work tree has the branch checked
   * out, the branch is moved to the new commit. Otherwise the branch stays as it is.
   */
  readonly replaces?: string
}

export interface FileWrite {
  readonly path: string
  /** Null deletes the file. */
  readonly content: Uint8Array | null
  /** Left out: unchanged, or not executable if the file is new. */
  readonly executable?: boolean
}

export interface CreatedBranch {
  /** The commit of this change. The branch may have moved on since. */
  readonly commit: string
  /** False if it existed already. */
  readonly created: boolean
}

/** A branch by what was given to `createBranch`. */
export type FailedBranch = Pick<BranchChange, 'branch' | 'operation' | 'author'>

export interface PullRequestDraft {
  readonly branch: string
  readonly title: string
  /** Markdown. */
  readonly body: string
  /** The commit that `createBranch` returned. */
  readonly commit: string
  /** The operation that was given to `createBranch`. */
  readonly operation: string
}

export interface KnownPullRequest {
  readonly branch: string
  /** Null if the host gives no numbers. Then the caller keeps them. */
  readonly number: number | null
  /** The commit that `createBranch` returned. */
  readonly commit: string
  /**
   * The `head` of the last answer, if any. It shows what people pushed, even if the branch is gone by now.
   */
  readonly head?: string | undefined
  /** The operation that was given to `createBranch`. */
  readonly operation: string
}

export interface PullRequest {
  /** Null if the host gives no numbers. */
  readonly number: number | null
  readonly url: string | null
  /**
   * `merged`: the change is in the base branch by a merge, a squash or a rebase, even if the branch is gone.
   * `closed`: rejected, or the branch is gone unmerged.
   */
  readonly state: 'open' | 'merged' | 'closed'
  /** The commit of the base branch that brought the change, if known. */
  readonly mergeCommit: string | undefined
  /** The last known commit of the branch. */
  readonly head: string
}

export interface Poll {
  readonly token: string
  readonly changed: boolean
}
