import { RepositoryError } from '../errors.js'
import { checkedBranch } from '../names.js'
import type { Git } from './git.js'
import { lookUpObjects, tipOf } from './object-lookup.js'

/** The base branch: the configured one, else the one that HEAD names, which changes with every checkout. */
export async function branchOf(
  git: Git,
  configured: string | undefined,
  signal?: AbortSignal,
): Promise<string> {
  if (configured !== undefined) return checkedBranch(configured)
  const said = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { alsoFine: [1], signal })
  const name = /^refs\/heads\/(.+)$/.exec(String(said).trim())?.[1]
  if (name !== undefined) return name
  throw new RepositoryError('invalid', 'HEAD is on no branch: name the base branch with --branch')
}

/** The last commit of the base branch. */
export async function headOf(
  git: Git,
  configured: string | undefined,
  signal?: AbortSignal,
): Promise<string> {
  const name = await branchOf(git, configured, signal)
  const [commit] = await lookUpObjects(git, [tipOf(name)], signal)
  if (commit !== undefined) return commit
  throw await withoutBase(git, name, signal)
}

/** The error if that branch has no commit. */
export async function withoutBase(git: Git, name: string, signal?: AbortSignal): Promise<RepositoryError> {
  const any = await git.run(['for-each-ref', '--count=1', '--format=%(refname)', 'refs/heads'], { signal })
  return String(any) === ''
    ? new RepositoryError('empty', `the repository has no commit yet: commit something to ${name}`)
    : new RepositoryError(
        'gone',
        `there is no branch ${name}: make it again, or connect the repository with the --branch that takes its place`,
      )
}
