import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first program of one of these names on the search path; undefined if there is none. */
export function executablePath(
  names: readonly string[],
  searchPath = process.env.PATH ?? '',
): string | undefined {
  return names
    .flatMap((name) => searchPath.split(delimiter).map((folder) => join(folder, name)))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
