import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { OutgoingEvent } from '../../bench/support/client.js'

interface LoggedEvent {
  readonly ticket: string
  readonly activity: string
  readonly timestamp: string
  readonly [attribute: string]: string
}

const SPAN_MS = 6 * 24 * 60 * 60 * 1_000

/**
 * Reads a log with one JSON object per line (plain or gzip): `ticket` becomes the user, `activity` the event,
 * and everything but `timestamp` a property. Compresses the time axis by a constant factor into the six days
 * before `end`, because ingestion clamps times older than seven days. Order and ties stay.
 */
export async function readEventLog(file: string, end: number): Promise<OutgoingEvent[]> {
  const input = file.endsWith('.gz') ? createReadStream(file).pipe(createGunzip()) : createReadStream(file)
  const logged: LoggedEvent[] = []
  let line = 0
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    if (text.trim() === '') continue
    const entry = JSON.parse(text) as LoggedEvent
    if (
      typeof entry.ticket !== 'string' ||
      typeof entry.activity !== 'string' ||
      Number.isNaN(Date.parse(entry.timestamp))
    )
      throw new Error(`line ${line} of ${file} needs ticket, activity and timestamp`)
    logged.push(entry)
  }
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { timestamp } of logged) {
    const time = Date.parse(timestamp)
    first = Math.min(first, time)
    last = Math.max(last, time)
  }
  const factor = Math.max(1, (last - first) / SPAN_MS)
  return logged.map((entry, index) => {
    const { ticket, activity, timestamp, ...attributes } = entry
    return {
      event: activity.replaceAll(/[^A-Za-z0-9_.$-]/g, '_'),
      userId: ticket,
      timestamp: new Date(end - Math.floor((last - Date.parse(timestamp)) / factor)).toISOString(),
      insertId: `replay-${end}-${index}`,
      properties: attributes,
    }
  })
}
