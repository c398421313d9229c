import type { SourceLine } from './source.js'

export interface CsvRow {
  /** Of the line that the row starts on. */
  readonly number: number
  readonly fields: readonly string[]
  /** Why the row cannot be read. `fields` may be incomplete then. */
  readonly problem?: string | undefined
}

/** A row over several lines that is longer has a stray quote. Longer than any valid event. */
const MAX_ROW_CHARACTERS = 256 * 1024
const STRAY_QUOTE = 'has a quote that is not closed, or text after a closing quote'

/**
 * Parses RFC 4180: quoted fields may contain commas, line breaks and doubled quotes. A row with a stray quote
 * has a problem, and the lines that it seemed to cover are read one by one, each at most three times.
 */
export async function* parseCsvRows(lines: AsyncIterable<SourceLine>): AsyncGenerator<CsvRow> {
  const reader = new RowReader()
  for await (const line of lines) yield* reader.push(line)
  yield* reader.end()
}

interface OpenRow {
  readonly lines: SourceLine[]
  readonly splitter: FieldSplitter
  characters: number
}

class RowReader {
  /** Number of fields in the first row. */
  private width: number | undefined
  private open: OpenRow | undefined;

  *push(line: SourceLine): Generator<CsvRow> {
    if (this.open === undefined && line.text === '' && line.problem === undefined) return
    const row = this.open ?? { lines: [], splitter: new FieldSplitter(), characters: 0 }
    row.lines.push(line)
    row.characters += line.text.length + 1
    const state = row.splitter.push(line.text)
    this.open = state === 'open' && row.characters <= MAX_ROW_CHARACTERS ? row : undefined
    if (this.open !== undefined) return
    const { fields } = row.splitter
    // A row over several lines must fit the header: two stray quotes would hide the lines between them.
    if (state === 'complete' && (row.lines.length === 1 || fields.length === (this.width ?? fields.length))) {
      this.width ??= fields.length
      const [{ number } = line] = row.lines
      yield { number, fields, problem: row.lines.find(({ problem }) => problem !== undefined)?.problem }
      return
    }
    const last = row.lines.length > 1 ? row.lines.pop() : undefined
    yield* this.readEachLine(row.lines)
    // The line that showed the fault may start a row over several lines.
    if (last !== undefined) yield* this.push(last)
  }

  *end(): Generator<CsvRow> {
    if (this.open !== undefined) yield* this.readEachLine(this.open.lines)
    this.open = undefined
  }

  /** The first line has the stray quote. The others are rows only if they fit the header exactly. */
  private *readEachLine([first, ...rest]: readonly SourceLine[]): Generator<CsvRow> {
    if (first === undefined) return
    yield { number: first.number, fields: [], problem: first.problem ?? STRAY_QUOTE }
    for (const { number, text, problem } of rest) {
      if (text === '' && problem === undefined) continue
      const splitter = new FieldSplitter()
      const fits = splitter.push(text) === 'complete' && splitter.fields.length === this.width
      const doubt = `is not a separate row, after the stray quote in line ${first.number}`
      yield { number, fields: splitter.fields, problem: problem ?? (fits ? undefined : doubt) }
    }
  }
}

/** Splits a row that is given line by line. */
class FieldSplitter {
  readonly fields: string[] = []
  /** Parts of a quoted field that is not closed yet. */
  private quoted: string[] | undefined

  /** `open`: a quoted field continues on the next line. `stray`: a quote is where none may be. */
  push(line: string): 'complete' | 'open' | 'stray' {
    this.quoted?.push('\n')
    let at = 0
    for (;;) {
      if (this.quoted === undefined && line[at] === '"') {
        this.quoted = []
        at++
      }
      const end = line.indexOf(this.quoted === undefined ? ',' : '"', at)
      const part = line.slice(at, end < 0 ? line.length : end)
      at = end < 0 ? line.length : end
      if (this.quoted === undefined) this.fields.push(part)
      else {
        this.quoted.push(part)
        if (end < 0) return 'open'
        if (line[end + 1] === '"') {
          this.quoted.push('"')
          at = end + 2
          continue
        }
        this.fields.push(this.quoted.join(''))
        this.quoted = undefined
        at = end + 1
        if (at < line.length && line[at] !== ',') return 'stray'
      }
      if (at >= line.length) return 'complete'
      at++
    }
  }
}

const TEXT_FIELDS = ['event', 'userId', 'anonymousId', 'timestamp', 'insertId', 'sdkVersion'] as const

/**
 * JSON members of the event of a row. Unknown columns are properties; empty cells are skipped.
 *
 * @throws SyntaxError if a cell of the column `properties` is not a JSON object
 */
export function membersOfRow(
  header: readonly string[],
  fields: readonly string[],
): ReadonlyMap<string, string> {
  const event = new Map<string, string>()
  const properties: string[] = []
  for (const [at, column] of header.entries()) {
    const cell = fields[at] ?? ''
    if (cell === '') continue
    if (TEXT_FIELDS.some((field) => field === column)) event.set(column, JSON.stringify(cell))
    else if (column === 'properties') properties.push(...membersOfObject(cell))
    else properties.push(`${JSON.stringify(column.replace(/^properties\./, ''))}:${jsonOfCell(cell)}`)
  }
  // Joined as text, because an object would lose a column `__proto__` and round numbers.
  if (properties.length > 0) event.set('properties', `{${properties.join(',')}}`)
  return event
}

function membersOfObject(cell: string): string[] {
  const value: unknown = JSON.parse(cell)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('is not a JSON object')
  return Object.keys(value).length === 0 ? [] : [cell.trim().slice(1, -1)]
}

/** A number only if writing it back gives the same text: `007`, `1e5` and ids beyond 2^53 stay text. */
function jsonOfCell(cell: string): string {
  if (cell === 'true' || cell === 'false') return cell
  const number = Number(cell)
  return Number.isFinite(number) && String(number) === cell ? cell : JSON.stringify(cell)
}
