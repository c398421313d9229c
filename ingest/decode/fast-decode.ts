import type { AcceptedEvent } from '../../domain/event.js'
import { EVENT_LIMITS } from '../../domain/event.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import { endOfCanonicalObject, endOfLiteral, endOfPlainString } from './scan.js'
import { isEventShape, isEventsRequestShape } from './validate.js'

/** What a body of `POST /v1/events` says, once it is found good. */
export interface DecodedEvents {
  /** Milliseconds; undefined where the client sent none. */
  readonly sentAt: number | undefined
  readonly events: readonly AcceptedEvent[]
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const NULL = 110
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** The fields of an event and where `properties` lie, written anew for each event. */
interface Fields {
  event: string | undefined
  userId: string | undefined
  anonymousId: string | undefined
  timestamp: string | undefined
  insertId: string | undefined
  sdkVersion: string | undefined
  /** What the schema has to know: that it is an object. */
  properties: object | undefined
}

const ANY_OBJECT = {}

/**
 * Decodes a body of `POST /v1/events` without `JSON.parse`, where it is written as most clients do: compact ASCII, known fields only, each once,
 * properties that are their own canonical text. Undefined for everything else, be it good or bad: then `JSON.parse` and the rules behind it
 * decide, and name the field. The schema sees every event here too, so no rule stands twice.
 *
 * @param body pure ASCII
 */
export function decodeFast(body: Buffer): DecodedEvents | undefined {
  if (body[0] !== OPEN_OBJECT) return undefined
  const text = body.toString('latin1')
  let at = 1
  let sentAt: number | undefined
  let hasSentAt = false
  let events: AcceptedEvent[] | undefined
  for (;;) {
    if (body[at] !== QUOTE) return undefined
    const end = endOfPlainString(body, at + 1)
    if (end < 0 || body[end + 1] !== COLON) return undefined
    const key = text.slice(at + 1, end)
    at = end + 2
    if (key === 'events' && events === undefined) {
      events = []
      at = readEvents(body, text, at, events)
      if (at < 0) return undefined
    } else if (key === 'sentAt' && !hasSentAt) {
      hasSentAt = true
      if (body[at] !== QUOTE) return undefined
      const stop = endOfPlainString(body, at + 1)
      if (stop < 0) return undefined
      sentAt = parseRfc3339(text.slice(at + 1, stop))
      if (sentAt === undefined) return undefined
      at = stop + 1
    } else return undefined
    if (body[at] === COMMA) at++
    else if (body[at] === CLOSE_OBJECT && at === body.length - 1) break
    else return undefined
  }
  return events !== undefined && isEventsRequestShape({ events }) ? { sentAt, events } : undefined
}

/** Reads the array of events; the place after it, or -1. */
function readEvents(body: Buffer, text: string, from: number, events: AcceptedEvent[]): number {
  if (body[from] !== OPEN_ARRAY) return -1
  let at = from + 1
  for (;;) {
    if (events.length === EVENT_LIMITS.eventsPerRequest) return -1
    at = readEvent(body, text, at, events)
    if (at < 0) return -1
    if (body[at] === CLOSE_ARRAY) return at + 1
    if (body[at] !== COMMA) return -1
    at++
  }
}

/** Reads one event; the place after it, or -1. */
function readEvent(body: Buffer, text: string, from: number, events: AcceptedEvent[]): number {
  if (body[from] !== OPEN_OBJECT) return -1
  const fields: Fields = {
    event: undefined,
    userId: undefined,
    anonymousId: undefined,
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
    properties: undefined,
  }
  let properties = '{}'
  let seen = 0
  let at = from + 1
  for (;;) {
    if (body[at] !== QUOTE) return -1
    const end = endOfPlainString(body, at + 1)
    if (end < 0 || body[end + 1] !== COLON) return -1
    const field = fieldOf(body, at + 1, end)
    const bit = 1 << field
    if (field === UNKNOWN || (seen & bit) !== 0) return -1
    seen |= bit
    at = end + 2
    if (body[at] === NULL) {
      at = endOfLiteral(body, at)
      if (at < 0) return -1
    } else if (field === PROPERTIES) {
      const stop = endOfCanonicalObject(body, at)
      if (stop < 0 || stop - at > EVENT_LIMITS.propertiesBytes) return -1
      properties = text.slice(at, stop)
      fields.properties = ANY_OBJECT
      at = stop
    } else {
      if (body[at] !== QUOTE) return -1
      const stop = endOfPlainString(body, at + 1)
      if (stop < 0) return -1
      const value = text.slice(at + 1, stop)
      if (field === EVENT) fields.event = value
      else if (field === USER_ID) fields.userId = value
      else if (field === ANONYMOUS_ID) fields.anonymousId = value
      else if (field === TIMESTAMP) fields.timestamp = value
      else if (field === INSERT_ID) fields.insertId = value
      else fields.sdkVersion = value
      at = stop + 1
    }
    if (body[at] === COMMA) at++
    else if (body[at] === CLOSE_OBJECT) break
    else return -1
  }
  // `null` counts as absent, so the schema may see it as absent.
  const shape: unknown = fields
  if (!isEventShape(shape)) return -1
  let timestamp: number | undefined
  if (fields.timestamp !== undefined) {
    timestamp = parseRfc3339(fields.timestamp)
    if (timestamp === undefined) return -1
  }
  events.push({
    event: shape.event,
    userId: fields.userId,
    anonymousId: fields.anonymousId,
    properties,
    timestamp,
    insertId: fields.insertId,
    sdkVersion: fields.sdkVersion,
  })
  return at + 1
}

const UNKNOWN = -1
const EVENT = 0
const USER_ID = 1
const ANONYMOUS_ID = 2
const PROPERTIES = 3
const TIMESTAMP = 4
const INSERT_ID = 5
/** The number of a field is its place here; the last one has no name of its own above. */
const NAMES: readonly Uint8Array[] = [
  'event',
  'userId',
  'anonymousId',
  'properties',
  'timestamp',
  'insertId',
  'sdkVersion',
].map((name) => Buffer.from(name))
/** Their first letters all differ. */
const BY_FIRST_LETTER = new Int8Array(256).fill(UNKNOWN)
for (const [field, name] of NAMES.entries()) BY_FIRST_LETTER[name[0] ?? 0] = field

/** The number of the field that a key names. */
function fieldOf(body: Buffer, from: number, to: number): number {
  const field = BY_FIRST_LETTER[body[from] ?? 0] ?? UNKNOWN
  const name = field < 0 ? undefined : NAMES[field]
  if (name === undefined || name.length !== to - from) return UNKNOWN
  for (let i = 1; i < name.length; i++) if (name[i] !== body[from + i]) return UNKNOWN
  return field
}
