import { parseRfc3339 } from '../../domain/rfc3339.js'

/** A time that a schema has validated; undefined if it was left out. */
export function readTime(text: string | undefined): Date | undefined {
  const at = text === undefined ? undefined : parseRfc3339(text)
  return at === undefined ? undefined : new Date(at)
}
