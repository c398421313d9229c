import { RepositoryError } from './errors.js'

/** Whether a text is a whole object id, of SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** @throws RepositoryError where a text is no whole object id: nothing else ever reaches a command or an address */
export function checkedId(text: string): string {
  if (!isObjectId(text)) throw new RepositoryError('invalid', `${JSON.stringify(text)} is no object id`)
  return text
}

/**
 * A branch's name by the rules of git-check-ref-format, and none that reads like an option.
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

/** The folders on the way to a path, outermost first: `a/b/c` has `a` and `a/b`. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The folder a path is in; empty at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
