import type { Region } from './port.js'
import { indentAt, onlyPlaceOf } from './text.js'

/** The one line end of a text, if it has one kind. */
function lineEndIn(text: string): '\r\n' | '\n' | undefined {
  const all = text.match(/\r?\n/g) ?? []
  const [first] = all
  return all.every((end) => end === first) ? (first as '\r\n' | '\n' | undefined) : undefined
}

/**
 * A text to insert at `start` with today's line ends and indentation, if the file has others than when the
 * region was written.
 *
 * @param base the file as it was written, if known
 */
export function inTodaysLayout(
  wanted: string,
  region: Region,
  { text, start, base }: { text: string; start: number; base: string | undefined },
): string {
  if (!wanted.includes('\n')) return wanted
  const [then, now] = [lineEndIn(base ?? region.written), lineEndIn(text)]
  const ended =
    then !== undefined && now !== undefined && then !== now ? wanted.replace(/\r?\n/g, now) : wanted
  const place = base === undefined ? 'none' : onlyPlaceOf(base, region.written)
  if (base === undefined || typeof place !== 'number') return ended
  const [before, after] = [indentAt(base, place), indentAt(text, start)]
  // A line break may be part of a string or of text that keeps its spaces.
  if (before === after || /`|<(pre|textarea)\b/.test(wanted)) return ended
  return ended.replace(/(?<=\n)[ \t]+(?=\S)/g, (indent) =>
    indent.startsWith(before) ? after + inStepsOf(after, before, indent.slice(before.length)) : indent,
  )
}

/** Deeper indentation, with tabs for spaces or spaces for tabs if the file has changed between them. */
function inStepsOf(after: string, before: string, deeper: string): string {
  const [to, from] = [after[0], before[0]]
  if (to === undefined || from === undefined || to === from) return deeper
  return to.repeat(Math.round((deeper.length * after.length) / before.length))
}
