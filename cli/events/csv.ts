import type { SourceLine } from './source.js'

/** A row of CSV: its fields, and the line it begins on. */
export interface CsvRow {
  readonly number: number
  readonly fields: readonly string[]
}

/** Rows of RFC 4180: commas, fields in double quotes may hold commas, line breaks and doubled quotes. Empty lines are no rows. */
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
  // A quote that is never closed: what there is, so that the row is named.
  if (open !== undefined) yield { number: open.number, fields: [open.text] }
}

/** Undefined where a quoted field goes on in the next line. */
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
      // What stands behind the closing quote belongs to nothing; kept, so that nothing is lost silently.
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

/** An event as a row says it under a header: fields of the event by their names, every other column a property. Empty cells say nothing. */
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
    throw new SyntaxError('is no JSON object')
  return value
}

/** Numbers, true and false as JSON writes them; anything else is text, `007` too. */
function parseCell(cell: string): unknown {
  return /^(true|false|-?(0|[1-9]\d{0,15})(\.\d+)?([eE][+-]?\d{1,3})?)$/.test(cell) ? JSON.parse(cell) : cell
}
