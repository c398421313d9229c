import type { RepositoryErrorCode } from './errors.js'

/**
 * Where a workspace's code lives, as the rest of the service sees it. Two adapters: git on this machine, and GitHub.
 *
 * Every method but `check` and `close` rejects with `RepositoryError` alone. A commit, tree or blob is named by its full id in lower case
 * hexadecimal (40 or 64 digits), and what an id names never changes. Paths are relative to the root of the repository, with `/` between names.
 */
export interface RepositoryHost {
  readonly kind: 'local' | 'github'
  /** For people: the path, or `owner/name`. */
  readonly name: string

  /** Whether experiments can have pull requests here now; never rejects. */
  check(signal?: AbortSignal): Promise<RepositoryCheck>

  /** The base branch, without `refs/heads/`: the one that was configured, else the host's default. */
  branch(signal?: AbortSignal): Promise<string>

  /** The commit that the base branch points to. */
  head(signal?: AbortSignal): Promise<string>

  /** Every file of a commit. Tens of thousands are normal. */
  tree(commit: string, signal?: AbortSignal): Promise<readonly TreeEntry[]>

  /**
   * What stands in the directories that lead to these paths, by path: each directory's own entries, folders among them. Enough to see whether a path is there,
   * lies behind a symbolic link or in a submodule, or differs from another one in case alone. Costs the same in a repository of any size.
   */
  entries(
    commit: string,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, TreeEntry>>

  /** The contents of blobs, in the order of their ids, each once. What is asked for next is read when it is asked for, so memory holds few at a time. */
  readBlobs(ids: Iterable<string>, options: ReadOptions): AsyncIterableIterator<ReadBlob>

  /** What lies between two commits, file by file, renames found. */
  compare(from: string, to: string, signal?: AbortSignal): Promise<Comparison>

  /**
   * One commit of these files on a new branch. The same call again, at any time and from any process, finds what was done before and does
   * nothing: by the commit's id, which its arguments fix, or by `operation`, which its message carries. A branch of that name with neither
   * is other people's: `conflict`.
   */
  createBranch(change: BranchChange, signal?: AbortSignal): Promise<CreatedBranch>

  /** Opens a pull request from a branch to the base branch. Found again by its branch, also where it was closed or merged since. */
  openPullRequest(text: PullRequestText, signal?: AbortSignal): Promise<PullRequest>

  /** How a pull request stands. */
  pullRequest(known: KnownPullRequest, signal?: AbortSignal): Promise<PullRequest>

  /**
   * Whether any pull request, or the base branch, may have changed since the poll that gave `token` (any process's; undefined: the first one). Cheap
   * enough for every few seconds locally and every minute at GitHub, where an unchanged answer costs nothing of the limit.
   */
  poll(token: string | undefined, signal?: AbortSignal): Promise<Poll>

  /** Ends what runs for it. Calls afterwards reject. */
  close(): Promise<void>
}

export interface RepositoryCheck {
  readonly ok: boolean
  /** Undefined where all is well. */
  readonly code: RepositoryErrorCode | undefined
  /** One or two sentences: what is wrong and how to mend it. */
  readonly message: string
  /** The base branch, where it could be told. */
  readonly branch: string | undefined
}

export interface TreeEntry {
  readonly path: string
  readonly kind: 'file' | 'executable' | 'symlink' | 'submodule' | 'folder'
  /** Of the blob, or tree; a submodule's commit. */
  readonly id: string
  /** Bytes; undefined for folders and submodules, and for blobs that a partial clone does not hold. */
  readonly size: number | undefined
  /** The name is no UTF-8: `path` shows it with replacement characters, and nothing can be written there. */
  readonly unreadableName: boolean
}

export interface ReadOptions {
  /** A larger blob is not read. */
  readonly maxBlobBytes: number
  readonly signal?: AbortSignal | undefined
}

export type ReadBlob =
  | {
      readonly id: string
      readonly state: 'read'
      readonly content: Uint8Array
      /** The file itself is kept elsewhere (Git LFS): this is only what points to it. */
      readonly lfsPointer: boolean
    }
  | { readonly id: string; readonly state: 'too_large' | 'missing' }

export interface Comparison {
  readonly files: readonly ComparedFile[]
  /** False where the host told of a part of the files or renames only, or does not have `from` any more: then `files` may lack some. */
  readonly complete: boolean
}

export interface ComparedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'removed' | 'renamed'
  /** Where a renamed file was. */
  readonly previousPath: string | undefined
  /** Its content afterwards; undefined where it was removed. */
  readonly blob: string | undefined
}

export interface Author {
  readonly name: string
  readonly email: string
}

export interface BranchChange {
  /** Without `refs/heads/`. */
  readonly branch: string
  /** The commit it starts from. */
  readonly base: string
  readonly message: string
  readonly author: Author
  /** Of author and committer. To the second. */
  readonly date: Date
  /** Names what this is done for, the same at every attempt: 1-100 of `A-Z a-z 0-9 - _ . : /`. */
  readonly operation: string
  readonly files: readonly FileWrite[]
}

export interface FileWrite {
  readonly path: string
  /** Null: deleted. */
  readonly content: Uint8Array | null
  /** Left out: as it is, or not executable where it is new. */
  readonly executable?: boolean
}

export interface CreatedBranch {
  /** The commit of this change; the branch may have gone on since. */
  readonly commit: string
  /** False: it was there already. */
  readonly created: boolean
}

export interface PullRequestText {
  readonly branch: string
  readonly title: string
  /** Markdown. */
  readonly body: string
  /** As `createBranch` gave it. */
  readonly commit: string
  /** As it was given to `createBranch`. */
  readonly operation: string
}

export interface KnownPullRequest {
  readonly branch: string
  /** Null where the host gives no numbers: then the caller keeps them. */
  readonly number: number | null
  /** As `createBranch` gave it. */
  readonly commit: string
  /** The `head` of the last answer, where there was one: what other people pushed to the branch since is told by it once the branch is gone. */
  readonly head?: string | undefined
  /** As it was given to `createBranch`. */
  readonly operation: string
}

export interface PullRequest {
  /** Null where the host gives no numbers. */
  readonly number: number | null
  readonly url: string | null
  /**
   * `merged`: its change is in the base branch, by a merge, a squash or a rebase, even where the branch is gone. `closed`: turned down, or its branch is gone
   * unmerged.
   */
  readonly state: 'open' | 'merged' | 'closed'
  /** The commit of the base branch that brought it in, where it could be told. */
  readonly mergeCommit: string | undefined
  /** The last commit of its branch that is known. */
  readonly head: string
}

export interface Poll {
  readonly token: string
  readonly changed: boolean
}
