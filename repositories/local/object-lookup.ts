import { isObjectId } from '../names.js'
import type { Git } from './git.js'

/**
 * The ids of revisions such as `refs/heads/main^{commit}`, in their order, by one git process. Undefined for
 * unknown ones. Revisions contain no line breaks.
 */
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
  // Git prints `name missing` for an unknown one.
  return names.map((_, index) => lines[index]).map((line) => (isObjectId(line ?? '') ? line : undefined))
}

/** The revision of a branch's last commit. */
export const tipOf = (branch: string): string => `refs/heads/${branch}^{commit}`
