import { ROW, readInt64 } from '../../domain/row.js'
import {
  parseEventRecord,
  RecordFormatError,
  type RecordHeader,
  readHeader,
  readPairs,
} from '../../log/record.js'

/** The readable part of a dead letter. */
export interface DeadLetterContent {
  readonly record: {
    readonly workspaceId: string
    readonly keyId: string
    readonly receivedAt: Date | null
    readonly sentAt: Date | null
  } | null
  /** Its events; null for a damaged one. */
  readonly contents: readonly (DeadLetterEvent | null)[]
  readonly links: readonly { readonly anonymousId: string; readonly userId: string }[]
  /** Why the rest cannot be read. */
  readonly unreadable: string | null
}

export interface DeadLetterEvent {
  /** Position in the request. */
  readonly index: number
  readonly event: string
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly properties: unknown
  /** As the client sent it. */
  readonly timestamp: Date | null
  readonly insertId: string | null
  readonly sdkVersion: string | null
}

/** Parses the record of a dead letter. Never throws, because damaged records become dead letters. */
export function parseDeadLetter(payload: Uint8Array): DeadLetterContent {
  let record: DeadLetterContent['record'] = null
  const contents: (DeadLetterEvent | null)[] = []
  const links: { readonly anonymousId: string; readonly userId: string }[] = []
  try {
    const header = readHeader(payload)
    record = recordOf(header)
    if (holdsLinks(payload))
      for (const { anonymousId, userId } of readPairs(payload).pairs) links.push({ anonymousId, userId })
    else parseEventRecord(payload).forEachRow((start, end) => contents.push(readEvent(payload, start, end)))
    const damaged = contents.filter((event) => event === null).length
    const unreadable = damaged === 0 ? null : `${damaged} of ${contents.length} events are damaged`
    return { record, contents, links, unreadable }
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    return { record, contents: [], links, unreadable: error.message }
  }
}

function holdsLinks(payload: Uint8Array): boolean {
  try {
    readPairs(payload)
    return true
  } catch {
    // Not links: the content is shown as events.
    return false
  }
}

function recordOf({ workspaceId, keyId, receivedAt, sentAt }: RecordHeader): DeadLetterContent['record'] {
  return {
    workspaceId,
    keyId,
    receivedAt: dateOf(receivedAt),
    sentAt: sentAt === undefined ? null : dateOf(sentAt),
  }
}

/** Null if the strings do not fill the row. */
function readEvent(payload: Uint8Array, start: number, end: number): DeadLetterEvent | null {
  const view = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  const strings: string[] = []
  let at = start + ROW.fixedBytes
  while (strings.length < 6) {
    let length = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = at < end && scale < 2 ** 28 ? view.readUInt8(at++) : -1
      if (byte < 0) return null
      length += (byte & 127) * scale
      if (byte < 128) break
    }
    if (at + length > end) return null
    strings.push(view.toString('utf8', at, at + length))
    at += length
  }
  if (at !== end) return null
  const [event = '', userId = '', anonymousId = '', insertId = '', sdkVersion = '', properties = ''] = strings
  return {
    index: view.readUInt16LE(start + ROW.requestIndex),
    event,
    userId: userId === '' ? null : userId,
    anonymousId: anonymousId === '' ? null : anonymousId,
    properties: parsed(properties),
    timestamp:
      view.readUInt8(start + ROW.hasTimestamp) === 0
        ? null
        : dateOf(readInt64(payload, start + ROW.originalTimestamp)),
    insertId: insertId === '' ? null : insertId,
    sdkVersion: sdkVersion === '' ? null : sdkVersion,
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    // Shown as it was stored.
    return json
  }
}

/** Null if the number is not a valid time. */
function dateOf(milliseconds: number): Date | null {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? null : date
}
