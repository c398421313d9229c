import { isUtf8 } from 'node:buffer'
import { structuredPatch } from 'diff'

export type DiffSide = string | Uint8Array | null

const CONTEXT = 3
/** Larger files are listed without their content. */
const MAX_BYTES = 1024 * 1024
/** Most changed lines for which the shortest diff is computed. */
const MAX_EDITS = 1000
const NO_NEWLINE = '\\ No newline at end of file'

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** Each line with its sign, without its line feed. */
  readonly lines: readonly string[]
}

/**
 * The diff of a file in git's format, as `git apply` accepts it. Null before is a new file, null after a
 * deleted one. Empty if nothing changes. Binary files and files above 1 MiB are listed without their content.
 */
export function unifiedDiff(path: string, before: DiffSide, after: DiffSide): string {
  if (before === null && after === null) return ''
  const old = before === null ? null : textOf(before)
  const now = after === null ? null : textOf(after)
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)]
  const head = [`diff --git ${from} ${to}`]
  if (before === null) head.push('new file mode 100644')
  if (after === null) head.push('deleted file mode 100644')
  const names = [before === null ? '/dev/null' : from, after === null ? '/dev/null' : to] as const
  if (old === undefined || now === undefined) {
    if (before !== null && after !== null && Buffer.from(before).equals(Buffer.from(after))) return ''
    return `${[...head, `Binary files ${names[0]} and ${names[1]} differ`].join('\n')}\n`
  }
  const hunks = hunksOf(old ?? '', now ?? '')
  if (hunks.length === 0) return before === null || after === null ? `${head.join('\n')}\n` : ''
  // Git ends a name that contains a space with a tab.
  const ended = (name: string) => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name)
  const lines = [...head, `--- ${ended(names[0])}`, `+++ ${ended(names[1])}`]
  for (const hunk of hunks)
    lines.push(
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@`,
      ...hunk.lines,
    )
  return `${lines.join('\n')}\n`
}

/** The text of a file that can be shown. */
function textOf(side: string | Uint8Array): string | undefined {
  const bytes = Buffer.from(side)
  if (bytes.length > MAX_BYTES || bytes.includes(0) || !isUtf8(bytes)) return undefined
  return bytes.toString('utf8')
}

function hunksOf(old: string, now: string): readonly Hunk[] {
  if (old === now) return []
  const patch = structuredPatch('', '', old, now, '', '', { context: CONTEXT, maxEditLength: MAX_EDITS })
  return patch?.hunks ?? [replaced(linesOf(old), linesOf(now))]
}

/** One hunk that replaces everything between the first and the last difference. */
function replaced(old: readonly string[], now: readonly string[]): Hunk {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const before = Math.max(0, start - CONTEXT)
  const after = Math.min(end, CONTEXT)
  const marked = (sign: string, lines: readonly string[]) =>
    lines.flatMap((line) => (line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE]))
  return {
    oldStart: before + 1,
    oldLines: old.length - before - end + after,
    newStart: before + 1,
    newLines: now.length - before - end + after,
    lines: [
      ...marked(' ', old.slice(before, start)),
      ...marked('-', old.slice(start, old.length - end)),
      ...marked('+', now.slice(start, now.length - end)),
      ...marked(' ', old.slice(old.length - end, old.length - end + after)),
    ],
  }
}

/** Lines with their line feed; the last one may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** For an empty range, the line before it. */
function rangeOf(start: number, lines: number): string {
  return lines === 0 ? `${start - 1},0` : lines === 1 ? String(start) : `${start},${lines}`
}

/** Quotes names with a quote, a backslash or a control character, as git does. */
function quoted(name: string): string {
  if (!/["\\\p{Cc}]/u.test(name)) return name
  const escaped = [...name].map((char) => {
    if (char === '"' || char === '\\') return `\\${char}`
    if (char === '\n') return '\\n'
    if (char === '\t') return '\\t'
    if (!/\p{Cc}/u.test(char)) return char
    return [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  })
  return `"${escaped.join('')}"`
}
