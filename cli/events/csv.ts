import type { SourceLine } from './source.js'

export interface CsvRow {
  readonly number: number
  readonly fields: readonly string[]
}

/** Parses RFC 4180: quoted fields may contain commas, line breaks and doubled quotes. */
export async function* parseCsvRows(lines: AsyncIterable<SourceLine>): AsyncGenerator<CsvRow> {
  let open: { number: number; text: string } | undefined
  for await (const { number, text } of lines) {
    if (open === undefined && text === '') continue
    const row: { number: number; text: string } =
      open === undefined ? { number, text } : { number: open.number, text: `${open.text}\n${text}` }
    const fields = splitRow(row.text)
    open = fields === undefined ? row : undefined
    if (fields !== undefined) yield { number: row.number, fields }
  }
  // An unclosed quote: yield what there is, so that the row is reported.
  if (open !== undefined) yield { number: open.number, fields: [open.text] }
}

/** Undefined if a quoted field continues on the next line. */
function splitRow(text: string): string[] | undefined {
  const fields: string[] = []
  let at = 0
  for (;;) {
    if (text[at] === '"') {
      let field = ''
      for (at++; ; at++) {
        if (at >= text.length) return undefined
        if (text[at] !== '"') field += text[at]
        else if (text[at + 1] === '"') {
          field += '"'
          at++
        } else break
      }
      at++
      // Text after a closing quote is kept, so that nothing is lost silently.
      const end = endOfField(text, at)
      fields.push(field + text.slice(at, end))
      at = end
    } else {
      const end = endOfField(text, at)
      fields.push(text.slice(at, end))
      at = end
    }
    if (at >= text.length) return fields
    at++
  }
}

function endOfField(text: string, from: number): number {
  const comma = text.indexOf(',', from)
  return comma < 0 ? text.length : comma
}

const TEXT_FIELDS = ['event', 'userId', 'anonymousId', 'timestamp', 'insertId', 'sdkVersion'] as const

/** Builds an event from a row. Unknown columns are properties; empty cells are skipped. */
export function eventFromRow(header: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const event: Record<string, unknown> = {}
  const properties: Record<string, unknown> = {}
  for (const [at, column] of header.entries()) {
    const cell = fields[at] ?? ''
    if (cell === '') continue
    if (TEXT_FIELDS.some((field) => field === column)) event[column] = cell
    else if (column === 'properties') Object.assign(properties, parseObject(cell))
    else properties[column.replace(/^properties\./, '')] = parseCell(cell)
  }
  return Object.keys(properties).length === 0 ? event : { ...event, properties }
}

function parseObject(cell: string): object {
  const value: unknown = JSON.parse(cell)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('is not a JSON object')
  return value
}

/** JSON numbers, `true` and `false` are parsed; anything else is text, such as `007`. */
function parseCell(cell: string): unknown {
  return /^(true|false|-?(0|[1-9]\d{0,15})(\.\d+)?([eE][+-]?\d{1,3})?)$/.test(cell) ? JSON.parse(cell) : cell
}
