import { isObjectId } from '../names.js'
import type { Git } from './git.js'

/** The ids of what some names stand for now, such as `refs/heads/main^{commit}`, in their order, by one git; undefined where there is none. Names have no line breaks. */
export async function lookUpObjects(
  git: Git,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  const said = await git.run(['cat-file', '--batch-check=%(objectname)'], {
    input: names.map((name) => `${name}\n`).join(''),
    signal,
  })
  const lines = String(said).split('\n')
  // `name missing` where there is none.
  return names.map((_, index) => lines[index]).map((line) => (isObjectId(line ?? '') ? line : undefined))
}

/** What a branch points to, for `lookUpObjects`. */
export const tipOf = (branch: string): string => `refs/heads/${branch}^{commit}`
