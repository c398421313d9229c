/** Splicing and measuring source text. Offsets are UTF-16 code units. */

export interface Splice {
  start: number
  end: number
  text: string
}

/** Replaces ranges, which must not overlap. Insertions at the same offset keep their order. */
export function splice(text: string, parts: readonly Splice[]): string {
  let result = ''
  let at = 0
  for (const part of inOrder(parts)) {
    result += text.slice(at, part.start) + part.text
    at = part.end
  }
  return result + text.slice(at)
}

/**
 * Maps an edge of a range to the new text; `null` inside replaced text. Text removed at the edge is outside
 * the range.
 */
export function moved(parts: readonly Splice[], offset: number, edge: 'start' | 'end'): number | null {
  let shift = 0
  for (const part of inOrder(parts)) {
    if (part.end <= offset && (edge === 'start' || part.start < offset))
      shift += part.text.length - (part.end - part.start)
    else if (part.start < offset) return null
  }
  return offset + shift
}

/** The splices that undo `parts`. */
export function inverse(text: string, parts: readonly Splice[]): Splice[] {
  let shift = 0
  return inOrder(parts).map((part) => {
    const start = part.start + shift
    shift += part.text.length - (part.end - part.start)
    return { start, end: start + part.text.length, text: text.slice(part.start, part.end) }
  })
}

const inOrder = (parts: readonly Splice[]): Splice[] =>
  [...parts].sort((a, b) => a.start - b.start || a.end - b.end)

/** The offset of `part` if it occurs exactly once, else why not. */
export function onlyPlaceOf(text: string, part: string): number | 'none' | 'several' {
  const first = part === '' ? -1 : text.indexOf(part)
  if (first < 0) return 'none'
  return text.indexOf(part, first + 1) < 0 ? first : 'several'
}

/** The line end that most lines have. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  const crlf = text.split('\r\n').length - 1
  return crlf > 0 && 2 * crlf >= text.split('\n').length - 1 ? '\r\n' : '\n'
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

/** The offset after the end of the line, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end + 1
}

/** The white space at the start of the offset's line. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''
}

export const startsItsLine = (text: string, offset: number): boolean =>
  isBlank(text.slice(lineStart(text, offset), offset).replace(/^\ufeff/, ''))

export function endsItsLine(text: string, offset: number): boolean {
  const end = text.indexOf('\n', offset)
  return isBlank(text.slice(offset, end < 0 ? text.length : end))
}

/** One step of indentation, in the style of the line. */
export const stepOf = (indent: string): string => (indent.includes('\t') ? '\t' : '  ')

/** White space of markup and code. Other spaces, such as no-break spaces, are text. */
export const isBlank = (text: string): boolean => /^[ \t\r\n\f]*$/.test(text)

/** The range without white space at its edges. */
export function core(text: string, start: number, end: number): { start: number; end: number } {
  let from = start
  let to = end
  while (from < to && isBlank(text[from] ?? '')) from += 1
  while (to > from && isBlank(text[to - 1] ?? '')) to -= 1
  return { start: from, end: to }
}

export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 120 ? `${line.slice(0, 117)}…` : line
}
