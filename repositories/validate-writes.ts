import { RepositoryError } from './errors.js'
import { foldersOf } from './names.js'
import { placeProblem } from './path-policy.js'
import type { FileWrite, TreeEntry } from './port.js'

/**
 * Refuses what no host writes, whatever a workspace allows: a path that leads out of the repository or into git's own files, through a symbolic link or into a
 * submodule, onto what is no file, or twice to one place. `entries` are those of the commit it starts from.
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

/** A branch of the wanted name that somebody else made. */
export const branchTaken = (branch: string): RepositoryError =>
  new RepositoryError(
    'conflict',
    `a branch ${branch} is there already and is not of this experiment: rename or delete it`,
  )

/** A change whose tree is that of the commit it starts from. */
export const nothingChanged = (): RepositoryError =>
  new RepositoryError('invalid', 'the change leaves every file as it is: there is nothing to propose')
