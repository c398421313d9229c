export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Undefined if standard output is not a terminal. */
  readonly size?: { readonly columns: number; readonly rows: number } | undefined
  /** Whether standard output shows colours. */
  readonly supportsColor?: boolean
  /** Whether standard error is a terminal, where a line can be rewritten. */
  readonly isInteractive?: boolean
  /** Whether standard input is a terminal. */
  readonly canPrompt?: boolean
  /** Shows a long text in the pager. */
  page?(text: string): Promise<void>
}

export type Cell = string | number | Date | null | readonly string[]

/** Prints one JSON document on a line, for scripts. Dates become ISO 8601 in UTC with milliseconds. */
export function printJson(terminal: Terminal, value: unknown): void {
  printJsonText(terminal, JSON.stringify(value))
}

/** Prints JSON text. Characters that move the cursor or reverse the text become escapes. */
export function printJsonText(terminal: Terminal, text: string): void {
  const escapeCharacter = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  terminal.out(`${text.replace(HIDDEN_IN_JSON, escapeCharacter)}\n`)
}

/** Aligned columns under a header in capitals, easy to cut and search. */
export function printTable(
  terminal: Terminal,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  printAligned(terminal, [header.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(cellText))])
}

/** Rows for people. The header has `created` for `createdAt` and `person` for `personId`. */
export function printRows<Key extends string>(
  terminal: Terminal,
  rows: readonly Readonly<Record<Key, Cell>>[],
  keys: readonly Key[],
): void {
  const titles = keys.map((key) =>
    key
      .replace(/([A-Z])/g, ' $1')
      .toLowerCase()
      .replace(/ (at|id)$/, ''),
  )
  printTable(
    terminal,
    titles,
    rows.map((row) => keys.map((key) => row[key])),
  )
}

/** One field per line. */
export function printRecord(terminal: Terminal, fields: Readonly<Record<string, Cell>>): void {
  printAligned(
    terminal,
    Object.entries(fields).map(([name, value]) => [name, cellText(value)]),
  )
}

function printAligned(terminal: Terminal, lines: readonly (readonly string[])[]): void {
  const widths: number[] = []
  for (const line of lines)
    line.forEach((text, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(text))
    })
  for (const line of lines) {
    const padded = line.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - displayWidth(text)))
    terminal.out(`${padded.join('  ').trimEnd()}\n`)
  }
}

function cellText(value: Cell): string {
  if (value === null || value === '') return '-'
  if (typeof value === 'string') return escapeControls(value)
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace('T', ' ')}Z`
  return value.length === 0 ? '-' : value.map(escapeControls).join(',')
}

const DIRECTION = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const HIDDEN = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${DIRECTION}]`, 'gu')
/** Without line feeds and tabs, which indented JSON contains between its values. */
const HIDDEN_IN_JSON = new RegExp(`[\\u007f-\\u009f\\p{Zl}\\p{Zp}${DIRECTION}]`, 'gu')

/** Replaces what could move the cursor, begin a line or reverse the text: names come from people. */
export function escapeControls(text: string): string {
  return text.replace(HIDDEN, '\ufffd')
}

export const escapeLines = (text: string): string => text.split('\n').map(escapeControls).join('\n')

let segmenter: Intl.Segmenter | undefined

/** Grapheme clusters. Created lazily, because it takes longer than most commands. */
function segmentsOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter('en')
  return segmenter.segment(text)
}

/** Columns on a terminal; East Asian characters and emoji have two. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmentsOf(text))
    width +=
      /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1
  return width
}

/** Truncates to `columns`, ending in an ellipsis. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  for (const { segment } of segmentsOf(text)) {
    width += displayWidth(segment)
    if (width > columns - 1) break
    cut += segment
  }
  return `${cut.trimEnd()}…`
}
