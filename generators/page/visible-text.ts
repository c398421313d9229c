import type { Edit } from '../../variants/port.js'

/** A text that visitors read in a piece of source. Offsets count from the start of the piece. */
export interface VisibleText {
  start: number
  end: number
  text: string
}

const READ_ATTRIBUTE = /\s(?:value|placeholder|alt|title|label|aria-label|content)=(["'])(.*?)\1/gs

/** The texts in a piece of markup or in a string of code, without code between braces. */
export function visibleTexts(snippet: string): VisibleText[] {
  const string = /^\s*(["'`])((?:(?!\1)[^\\])*)\1\s*$/s.exec(snippet)
  if (string !== null && !snippet.includes('<')) {
    const start = snippet.indexOf(string[1] ?? '') + 1
    return trimmed(snippet, start, start + (string[2] ?? '').length)
  }
  const texts: VisibleText[] = []
  for (const { 0: part, index } of snippet.matchAll(/<(?:[^<>"']|"[^"]*"|'[^']*')*>|\{[^{}]*\}|[^<>{}]+/g)) {
    if (part.startsWith('{')) continue
    if (!part.startsWith('<')) {
      texts.push(...trimmed(snippet, index, index + part.length))
      continue
    }
    for (const found of part.matchAll(READ_ATTRIBUTE)) {
      const end = index + found.index + found[0].length - 1
      texts.push(...trimmed(snippet, end - (found[2] ?? '').length, end))
    }
  }
  return texts
}

function trimmed(snippet: string, from: number, to: number): VisibleText[] {
  const text = snippet.slice(from, to)
  const start = from + (text.length - text.trimStart().length)
  const words = text.trim()
  return /\p{L}/u.test(words) ? [{ start, end: start + words.length, text: words }] : []
}

/** The texts of an alternative that the control does not have. */
export function addedTexts({ find, replace }: Edit): VisibleText[] {
  const known = visibleTexts(find).map(({ text }) => text)
  return visibleTexts(replace).filter(({ text }) => {
    const at = known.indexOf(text)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

/** The edit with other words for one of its texts, `null` if they would be read as markup or code. */
export function withWords(edit: Edit, text: VisibleText, words: string): Edit | null {
  const { replace } = edit
  const quote = replace[text.start - 1] ?? ''
  if (/[<>{}&\\`\r\n]/.test(words) || words.trim() === '') return null
  if (/["']/.test(quote) && words.includes(quote)) return null
  return { ...edit, replace: replace.slice(0, text.start) + words + replace.slice(text.end) }
}

/** The texts of a variant that the control does not have, each once. */
export const newTexts = (files: readonly { edits: readonly Edit[] }[], key: string): string[] => [
  ...new Set(
    files.flatMap(({ edits }) =>
      edits
        .filter(({ variant }) => variant === key)
        .flatMap((edit) => addedTexts(edit).map(({ text }) => text)),
    ),
  ),
]
