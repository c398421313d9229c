import { RepositoryError } from './errors.js'
import { foldersOf } from './names.js'
import { placeProblem } from './path-policy.js'
import type { FileWrite, TreeEntry } from './port.js'

/**
 * Refuses writes that no host makes, whatever a workspace allows: outside the repository, into git's own
 * files, through a symbolic link, into a submodule, onto something that is not a file, or twice to one path.
 * `entries` are those of the base commit.
 *
 * @throws RepositoryError
 */
export function validateWrites(files: readonly FileWrite[], entries: ReadonlyMap<string, TreeEntry>): void {
  const refuse = (path: string, problem: string): never => {
    throw new RepositoryError('invalid', `${JSON.stringify(path)} cannot be written: ${problem}`)
  }
  if (files.length === 0) throw new RepositoryError('invalid', 'there is nothing to write')
  const written = new Set(files.filter((file) => file.content !== null).map((file) => file.path))
  if (new Set(files.map((file) => file.path)).size !== files.length)
    throw new RepositoryError('invalid', 'a file is written twice in one change')
  for (const { path, content } of files) {
    const problem = placeProblem(path, entries)
    if (problem !== undefined) refuse(path, problem)
    if (content === null && !entries.has(path)) refuse(path, 'there is no such file to delete')
    const above = foldersOf(path).find((folder) => written.has(folder))
    if (above !== undefined) refuse(path, `${above} is a file of the same change`)
  }
}

/** Someone else's branch has the wanted name. */
export const branchTaken = (branch: string): RepositoryError =>
  new RepositoryError(
    'conflict',
    `a branch ${branch} is there already and is not of this experiment: rename or delete it`,
  )

/** A branch of this name leaves no room for svc's own, which are below it. */
export const branchInTheWay = (branch: string): RepositoryError =>
  new RepositoryError(
    'conflict',
    `the branch ${branch} stands in the way of branches such as ${branch}/button: rename or delete it`,
  )

/** The change has the same tree as its base commit. */
export const nothingChanged = (): RepositoryError =>
  new RepositoryError('invalid', 'the change leaves every file as it is: there is nothing to propose')
