import { createHash } from 'node:crypto'
import { parseClampedRfc3339 } from '../../domain/rfc3339.js'
import { refusedError } from '../command-error.js'
import { type CsvRow, membersOfRow, parseCsvRows } from './csv.js'
import { type ContentHash, splitLines } from './source.js'

/** A line of a file: JSON text to send, or why it cannot be sent. */
export type SourceRecord =
  | { readonly line: number; readonly json: string; readonly timestamp: number | undefined }
  | { readonly line: number; readonly field: string; readonly problem: string }

export const FORMAT_HINT =
  'save the file as UTF-8 with commas as separators (Excel: CSV UTF-8), or convert it: iconv -f WINDOWS-1252 -t UTF-8'

export interface RecordReading {
  readonly csv: boolean
  readonly sendId: string
  /** Counts and hashes what has been read. */
  readonly content?: ContentHash | undefined
  /** Reads a line of another format. */
  readonly parseLine?: ((line: number, text: string) => SourceRecord) | undefined
}

/**
 * Events of a file. A missing insertId is derived from `sendId`, line and content: a resume repeats it, but
 * another event in the same line gets another.
 *
 * @throws CommandError if the first line of a CSV is not a header
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  { csv, sendId, content, parseLine = (line, text) => parseEvent(line, text, sendId) }: RecordReading,
): AsyncGenerator<SourceRecord> {
  const lines = splitLines(chunks, content)
  if (!csv) {
    for await (const { number, text, problem } of lines)
      if (problem !== undefined) yield { line: number, field: '', problem }
      else if (text.trim() !== '') yield parseLine(number, text)
    return
  }
  let header: readonly string[] | undefined
  for await (const row of parseCsvRows(lines)) {
    if (header === undefined) header = readHeader(row)
    else yield parseRow(row, header, sendId)
  }
}

function readHeader({ number, fields, problem }: CsvRow): readonly string[] {
  if (problem !== undefined)
    throw refusedError(`the header in line ${number} ${problem}: nothing was sent`, undefined, [
      `try: ${FORMAT_HINT}`,
    ])
  const [only = ''] = fields
  const separator = [';', '\t', '|'].find((each) => fields.length === 1 && only.includes(each))
  if (separator !== undefined)
    throw refusedError(
      `the header in line ${number} is separated by ${JSON.stringify(separator)}, not by commas: nothing was sent`,
      undefined,
      [`try: ${FORMAT_HINT}`],
    )
  const names = fields.map((name) => name.trim())
  const broken = names.some((name) => name.includes('\r')) ? 'ends its lines with CR alone' : undefined
  const twice = names.find((name, at) => names.indexOf(name) < at)
  const wrong =
    broken ?? (twice === undefined ? undefined : `names the column ${JSON.stringify(twice)} twice`)
  if (wrong !== undefined)
    throw refusedError(`the header in line ${number} ${wrong}: nothing was sent`, undefined, [
      `try: ${broken === undefined ? 'give each column a name, or remove one of them' : FORMAT_HINT}`,
    ])
  return names
}

function parseEvent(line: number, text: string, sendId: string): SourceRecord {
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    return { line, field: '', problem: 'is not JSON' }
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    return { line, field: '', problem: 'is not a JSON object' }
  const timestamp = 'timestamp' in event ? parseTime(event.timestamp) : undefined
  if ('insertId' in event && event.insertId !== null && event.insertId !== undefined)
    return { line, json: text, timestamp }
  // Appended last, because the last of equal names counts.
  const comma = Object.keys(event).length === 0 ? '' : ','
  const json = `${text.trim().slice(0, -1)}${comma}"insertId":"${deriveInsertId(sendId, line, text)}"}`
  return { line, json, timestamp }
}

function parseRow(
  { number: line, fields, problem }: CsvRow,
  header: readonly string[],
  sendId: string,
): SourceRecord {
  if (problem !== undefined) return { line, field: '', problem }
  if (fields.length > header.length)
    return { line, field: '', problem: `has ${fields.length} fields under a header of ${header.length}` }
  try {
    const members = membersOfRow(header, fields)
    const event = [...members].map(([name, value]) => `"${name}":${value}`).join(',')
    const id = members.has('insertId') ? '' : `"insertId":"${deriveInsertId(sendId, line, event)}"`
    const json = `{${[id, event].filter((part) => part !== '').join(',')}}`
    const timestamp = members.get('timestamp')
    return { line, json, timestamp: timestamp === undefined ? undefined : parseTime(JSON.parse(timestamp)) }
  } catch {
    // The only part that is parsed.
    return { line, field: 'properties', problem: 'is not a JSON object' }
  }
}

function parseTime(value: unknown): number | undefined {
  return typeof value === 'string' ? parseClampedRfc3339(value) : undefined
}

function deriveInsertId(sendId: string, line: number, content: string): string {
  return createHash('sha256').update(`${sendId} ${line} ${content}`).digest('base64url').slice(0, 27)
}
