import { createHash } from 'node:crypto'
import { eventFromRow, parseCsvRows } from './csv.js'
import { splitLines } from './source.js'

/** A line of a file: JSON text to send, or why it cannot be sent. */
export type SourceRecord =
  | { readonly line: number; readonly json: string }
  | { readonly line: number; readonly field: string; readonly problem: string }

/** Events of a file. A missing insertId is derived from line and `sendId`, so a resume repeats it. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  csv: boolean,
  sendId: string,
): AsyncGenerator<SourceRecord> {
  if (!csv) {
    for await (const { number, text } of splitLines(chunks))
      if (text.trim() !== '') yield parseLine(number, text, sendId)
    return
  }
  let header: readonly string[] | undefined
  for await (const { number, fields } of parseCsvRows(splitLines(chunks))) {
    if (header === undefined) {
      header = fields.map((name) => name.trim())
      continue
    }
    yield parseRow(number, header, fields, sendId)
  }
}

function parseLine(line: number, text: string, sendId: string): SourceRecord {
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    return { line, field: '', problem: 'is not JSON' }
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    return { line, field: '', problem: 'is not a JSON object' }
  if ('insertId' in event && event.insertId !== null && event.insertId !== undefined)
    return { line, json: text }
  // Appended last, because the last of equal names counts.
  const comma = Object.keys(event).length === 0 ? '' : ','
  const json = `${text.trim().slice(0, -1)}${comma}"insertId":"${derivedInsertId(sendId, line)}"}`
  return { line, json }
}

function parseRow(
  line: number,
  header: readonly string[],
  fields: readonly string[],
  sendId: string,
): SourceRecord {
  if (fields.length > header.length)
    return { line, field: '', problem: `has ${fields.length} fields under a header of ${header.length}` }
  try {
    const event = eventFromRow(header, fields)
    return { line, json: JSON.stringify({ insertId: derivedInsertId(sendId, line), ...event }) }
  } catch {
    // The only part that is parsed.
    return { line, field: 'properties', problem: 'is not a JSON object' }
  }
}

function derivedInsertId(sendId: string, line: number): string {
  return createHash('sha256').update(`${sendId} ${line}`).digest('base64url').slice(0, 27)
}
