import { errorMessage } from '../runtime/errors.js'
import { RepositoryError } from './errors.js'
import type { RepositoryCheck } from './port.js'

/**
 * Runs a check of a repository, which returns the name of the base branch. Never rejects.
 *
 * @param known the name and the configured branch, undefined for the host's default branch
 */
export async function runCheck(
  { name, branch }: { readonly name: string; readonly branch: string | undefined },
  check: () => Promise<string>,
): Promise<RepositoryCheck> {
  try {
    const base = await check()
    return { ok: true, code: undefined, message: `${name} is ready, on branch ${base}`, branch: base }
  } catch (error) {
    const code = error instanceof RepositoryError ? error.code : 'unavailable'
    return { ok: false, code, message: errorMessage(error), branch }
  }
}
