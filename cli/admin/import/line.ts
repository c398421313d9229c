import { createHash } from 'node:crypto'
import { parseClampedRfc3339 } from '../../../domain/rfc3339.js'
import { isJsonObject } from '../../../ingest/formats/message.js'
import type { SourceRecord } from '../../events/records.js'
import { type ImportFormat, readExported } from './formats.js'

/**
 * A line of an export as one to send. Without an id it gets one from its content, so that it is stored once
 * however often and from whichever file it is imported.
 */
export function importedLine(format: ImportFormat, line: number, text: string): SourceRecord {
  let row: unknown
  try {
    row = JSON.parse(text)
  } catch {
    return { line, field: '', problem: 'is not JSON' }
  }
  if (!isJsonObject(row)) return { line, field: '', problem: 'is not a JSON object' }
  const event = readExported(format, row)
  if (typeof event === 'string') return { line, field: '', problem: event }
  const insertId =
    event.insertId ?? createHash('sha256').update(`${format} ${text}`).digest('base64url').slice(0, 27)
  const { timestamp } = event
  return {
    line,
    json: JSON.stringify({ ...event, insertId }),
    timestamp: typeof timestamp === 'string' ? parseClampedRfc3339(timestamp) : undefined,
  }
}
