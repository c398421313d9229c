import { parseRfc3339 } from '../../domain/rfc3339.js'
import type { Rule } from './route.js'

/** A time that a schema has validated; undefined if it was left out. */
export function readTime(text: string | undefined): Date | undefined {
  const at = text === undefined ? undefined : parseRfc3339(text)
  return at === undefined ? undefined : new Date(at)
}

/** A query's `to` is not before its `from`. */
export const timesInOrder: Rule<{ readonly from?: string; readonly to?: string }> = {
  of: ['from', 'to'],
  problems({ from, to }) {
    const [begin, end] = [readTime(from), readTime(to)]
    return begin !== undefined && end !== undefined && end < begin
      ? [{ path: 'query.to', message: 'must not be before from' }]
      : []
  },
}
