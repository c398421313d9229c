import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../runtime/package-root.js'

/** A module of `scripts/`, which is not compiled; the caller states what it exports. */
export async function script<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(join(packageRoot(), 'scripts', file)).href)) as T
}
