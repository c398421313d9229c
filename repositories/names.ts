import { RepositoryError } from './errors.js'

/** All branches of svc are below it, so no branch can have this name. */
export const BRANCH_FOLDER = 'svc'

/** Whether a text is a full object id, of SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/**
 * @throws RepositoryError unless the text is a full object id. Nothing else reaches a command or an address.
 */
export function checkedId(text: string): string {
  if (!isObjectId(text)) throw new RepositoryError('invalid', `${JSON.stringify(text)} is no object id`)
  return text
}

/**
 * Checks a branch name by the rules of git-check-ref-format. It must not look like an option.
 *
 * @throws RepositoryError
 */
export function checkedBranch(name: string): string {
  const parts = name.split('/')
  const bad =
    name === '' ||
    name === '@' ||
    name.length > 200 ||
    name.startsWith('-') ||
    name.endsWith('.') ||
    name.includes('..') ||
    name.includes('@{') ||
    [...name].some((char) => char <= ' ' || char === '\u007f' || '~^:?*[\\'.includes(char)) ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock'))
  if (bad) throw new RepositoryError('invalid', `${JSON.stringify(name)} is no name for a branch`)
  return name
}

/** The folders above a path, outermost first: `a` and `a/b` for `a/b/c`. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The folder of a path; '' at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
