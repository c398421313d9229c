import { diff3Merge } from 'node-diff3'
import { locate } from './find-region.js'
import type { CleanUpRequest, Region } from './port.js'
import { splice } from './text.js'

/**
 * The merge's time grows with the square of repeated lines: 2,000 lines, half of them equal, take seconds.
 */
const MAX_LINES = 1_500

/**
 * Merges missing regions into today's text by lines, with the written file as the base. Regions that cannot
 * be merged stay missing, and the text keeps them.
 */
export function mergeThreeWays(
  request: CleanUpRequest,
  today: string,
  missing: readonly Region[],
  all: readonly Region[],
): { text: string; missing: Region[] } | null {
  const { base } = request
  if (base === undefined) return null
  let text = today
  const left: Region[] = []
  const found = all.filter((region) => !missing.includes(region))
  // Today's text no longer has the regions that were found, so remove them from the written text first.
  const start = splice(base, locate(base, found, request).parts)
  let from = start
  for (const region of missing) {
    const { parts } = locate(from, [region], request)
    const wanted = splice(from, parts)
    const merged = parts.length === 0 ? null : mergeLines(wanted, from, text)
    if (merged === null) left.push(region)
    else {
      text = merged
      from = wanted
    }
  }
  return { text, missing: left }
}

/** Merges two descendants of a text; `null` on a conflict, or if it would take too long. */
export function mergeLines(ours: string, base: string, theirs: string): string | null {
  const [a, o, b] = [linesOf(ours), linesOf(base), linesOf(theirs)]
  const shortest = Math.min(a.length, o.length, b.length)
  let head = 0
  while (head < shortest && a[head] === o[head] && o[head] === b[head]) head += 1
  let tail = 0
  while (tail < shortest - head && a.at(-1 - tail) === o.at(-1 - tail) && o.at(-1 - tail) === b.at(-1 - tail))
    tail += 1
  const middle = (lines: string[]): string[] => lines.slice(head, lines.length - tail)
  if (Math.max(middle(a).length, middle(o).length, middle(b).length) > MAX_LINES) return null
  const result: string[] = o.slice(0, head)
  for (const part of diff3Merge(middle(a), middle(o), middle(b), { excludeFalseConflicts: true })) {
    if (part.ok === undefined) return null
    result.push(...part.ok)
  }
  return [...result, ...o.slice(o.length - tail)].join('')
}

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
