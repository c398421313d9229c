import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { errorCode } from '../../runtime/errors.js'
import { RepositoryError } from '../errors.js'

/** The git directory of a repository: inside a work tree, or the folder itself if it is bare. */
export async function gitDirOf(path: string): Promise<{ readonly gitDir: string; readonly cwd: string }> {
  if (!isAbsolute(path) || path.includes('\0'))
    throw new RepositoryError('invalid', `${JSON.stringify(path)} is no absolute path`)
  const kind = await kindOf(path)
  // Retryable, because a disk may not be mounted yet.
  if (kind === undefined)
    throw new RepositoryError(
      'unavailable',
      `${path} is not there: mount or move it back, or connect the repository where it is now`,
    )
  if (kind !== 'folder') throw notOne(path)
  const inside = join(path, '.git')
  const git = await kindOf(inside)
  // In a linked work tree, a file that names the directory. Git reads it.
  if (git === 'file') return { gitDir: inside, cwd: path }
  if (git === 'folder') return { gitDir: inside, cwd: inside }
  if ((await kindOf(join(path, 'HEAD'))) === undefined || (await kindOf(join(path, 'objects'))) !== 'folder')
    throw notOne(path)
  return { gitDir: path, cwd: path }
}

/** Rejects if the service may not write to a folder. */
export async function checkWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new RepositoryError(
      'unauthorised',
      `the user who runs svc may not write to ${folder}: grant it, or mount it for writing`,
    )
  }
}

async function kindOf(path: string): Promise<'folder' | 'file' | undefined> {
  try {
    const stats = await lstat(path)
    if (!stats.isSymbolicLink()) return stats.isDirectory() ? 'folder' : 'file'
    await access(join(path, '.'))
    return 'folder'
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM')
      throw new RepositoryError('unauthorised', `the user who runs svc may not read ${path}: grant it`)
    throw new RepositoryError('unavailable', `${path} cannot be looked at (${code ?? error})`)
  }
}

function notOne(path: string): RepositoryError {
  return new RepositoryError(
    'not_found',
    `${path} is no git repository: connect the folder that holds .git, or a bare repository`,
  )
}
