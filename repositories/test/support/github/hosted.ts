import type { TestRepository } from '../git-repository.js'
import { found, Refused } from './answers.js'

/** The fixed time of all commits. */
export const TIME = '2026-11-20T10:00:00Z'

export interface Pull {
  readonly number: number
  title: string
  body: string
  readonly branch: string
  readonly base: string
  head: string
  state: 'open' | 'closed'
  mergeCommit: string | null
  readonly createdAt: string
  changes: number
}

/** A repository with its pull requests. */
export interface Hosted {
  readonly owner: string
  name(): string
  readonly path: string
  readonly pulls: Pull[]
  git(...args: string[]): string
  /** Undefined if git fails. */
  tryGit(...args: string[]): string | undefined
  /** A branch's commit at the start of the request, or after the request changed it. */
  tipOf(branch: string): string | undefined
  typeOf(id: string): string | undefined
  /** Throws if there is no commit. */
  notEmpty(): void
  readBranches(): void
  /**
   * Applies git pushes to pull requests: updates their heads, closes those without a branch, and merges those
   * whose commit is in the base branch.
   */
  refresh(): void
  pullOf(number: number): Pull
}

export function hostedIn(repository: TestRepository, owner: string, name: () => string): Hosted {
  const pulls: Pull[] = []
  const git = (...args: string[]) => repository.git(...args)
  const tryGit = (...args: string[]): string | undefined => {
    try {
      return git(...args)
    } catch {
      return undefined
    }
  }
  /** Branches at the start of a request, or after it changed one. */
  let branches: ReadonlyMap<string, string> = new Map()
  const readBranches = () => {
    const lines = git('for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', 'refs/heads').split('\n')
    branches = new Map(lines.filter(Boolean).map((line) => [line.slice(41), line.slice(0, 40)]))
  }
  const tipOf = (branch: string) => branches.get(branch)
  const typeOf = (id: string) => (/^[0-9a-f]{40}$/.test(id) ? tryGit('cat-file', '-t', id) : undefined)
  const notEmpty = () => {
    if (branches.size === 0) throw new Refused(409, 'Git Repository is empty.')
  }

  const refresh = () => {
    const before = branches
    readBranches()
    if (before.size === branches.size && [...branches].every(([name, id]) => before.get(name) === id)) return
    for (const pull of pulls) {
      if (pull.state === 'closed') continue
      const tip = tipOf(pull.branch)
      const landed =
        tryGit('merge-base', '--is-ancestor', tip ?? pull.head, `refs/heads/${pull.base}`) !== undefined
      if (landed || tip === undefined) {
        pull.state = 'closed'
        if (landed) pull.mergeCommit = tip ?? pull.head
        pull.changes++
      } else if (tip !== pull.head) {
        pull.head = tip
        pull.changes++
      }
    }
  }

  const pullOf = (number: number) => found(pulls.find((pull) => pull.number === number))

  return {
    owner,
    name,
    path: repository.path,
    pulls,
    git,
    tryGit,
    tipOf,
    typeOf,
    notEmpty,
    readBranches,
    refresh,
    pullOf,
  }
}
