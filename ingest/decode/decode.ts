import { isAscii, isUtf8 } from 'node:buffer'
import { type AcceptedEvent, EVENT_LIMITS } from '../../domain/event.js'
import { isPlaceholderId } from '../../domain/person.js'
import { parseClampedRfc3339 } from '../../domain/rfc3339.js'
import { errorMessage } from '../../runtime/errors.js'
import { type Detail, type IngestRefusal, MAX_REPORTED_FIELDS, validationRefusal } from '../http/errors.js'
import { acceptProperties, hasOverflow, OVERFLOW_RULE } from './canonical.js'
import { parseInChunks } from './chunked-json.js'
import { exceedsComplexity, MAX_MEMBERS } from './complexity-limit.js'
import { subjectOf } from './subject.js'
import {
  type AliasShape,
  type EventShape,
  inDocumentOrder,
  isAliasShape,
  isEventShape,
  isEventsRequestShape,
  shapeDetails,
} from './validate.js'

export type DecodeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: IngestRefusal }

const TIME_RULE =
  'must be an RFC 3339 time with a zone, on a day that exists, such as 2026-03-01T12:00:00.000Z'
const TOO_COMPLEX: IngestRefusal = {
  code: 'PAYLOAD_TOO_LARGE',
  message: `the body holds more than ${MAX_MEMBERS} objects, arrays and keys: send fewer events per request`,
}

export interface DecodedEvents {
  /** Milliseconds; undefined if the client sent none. */
  readonly sentAt: number | undefined
  readonly events: readonly AcceptedEvent[]
}

/**
 * Validates a body of `POST /v1/events`, UTF-8 JSON after decompression: the schema for each event, then the
 * rules that need a value. Accepts or refuses it as a whole and keeps nothing of it.
 */
export function decodeEvents(body: Buffer): DecodeResult<DecodedEvents> {
  const parsed = parseBody(body)
  if (!parsed.ok) return parsed
  return acceptEvents(parsed.value)
}

export function decodeAlias(body: Buffer): DecodeResult<AliasShape> {
  const parsed = parseBody(body)
  if (!parsed.ok) return parsed
  const link = acceptLink(parsed.value, '')
  return Array.isArray(link) ? refuse(link, parsed.value) : { ok: true, value: link }
}

/** A link of an anonymous id to a user, or what is wrong with it. Paths start with `base`. */
export function acceptLink(value: unknown, base: string): AliasShape | Detail[] {
  if (!isAliasShape(value)) return shapeDetails(isAliasShape.errors, value, base)
  const details = [...placeholderDetails(value, base), ...overflowDetails(value, base, isAliasField)]
  return details.length > 0 ? details : { anonymousId: value.anonymousId, userId: value.userId }
}

/** Placeholder ids are programming accidents: many visitors would share the link. */
function placeholderDetails(alias: AliasShape, base: string): Detail[] {
  return (['anonymousId', 'userId'] as const)
    .filter((field) => isPlaceholderId(alias[field]))
    .map((field) => ({
      path: `${base}/${field}`,
      message: `must be the id of one visitor, not the placeholder ${JSON.stringify(alias[field])}`,
    }))
}

/** The value of UTF-8 JSON within the bounds. */
export function parseBody(body: Buffer): DecodeResult<unknown> {
  if (body.length === 0) return malformed('the body is empty: send a JSON object')
  if (!isUtf8(body)) return malformed('the body is not valid UTF-8')
  if (exceedsComplexity(body)) return { ok: false, refusal: TOO_COMPLEX }
  const encoding = isAscii(body) ? 'latin1' : 'utf8'
  try {
    const value: unknown = parseInChunks(body, encoding) ?? JSON.parse(body.toString(encoding))
    return { ok: true, value }
  } catch (error) {
    return malformed(`the body is not valid JSON: ${errorMessage(error)}`)
  }
}

function acceptEvents(request: unknown): DecodeResult<DecodedEvents> {
  if (!isEventsRequestShape(request)) return refuse(allDetails(request), request)
  let sentAt: number | undefined
  if (request.sentAt != null) {
    sentAt = parseClampedRfc3339(request.sentAt)
    if (sentAt === undefined) return refuse(allDetails(request), request)
  }
  for (const key in request)
    if (!isRequestField(key) && hasOverflow((request as unknown as Record<string, unknown>)[key]))
      return refuse(allDetails(request), request)
  const { events } = request
  const accepted: AcceptedEvent[] = new Array(events.length)
  for (let i = 0; i < events.length; i++) {
    const event = acceptEvent(events[i])
    if (event === undefined) return refuse(allDetails(request), request)
    accepted[i] = event
  }
  return { ok: true, value: { sentAt, events: accepted } }
}

/** The accepted form of an event; undefined if a rule refuses it: `eventDetails` tells which. */
export function acceptEvent(event: unknown): AcceptedEvent | undefined {
  if (!isEventShape(event)) return undefined
  let timestamp: number | undefined
  if (event.timestamp != null) {
    timestamp = parseClampedRfc3339(event.timestamp)
    if (timestamp === undefined) return undefined
  }
  let properties = '{}'
  if (event.properties != null) {
    const text = acceptProperties(event.properties)
    if (typeof text !== 'string') return undefined
    properties = text
  }
  for (const key in event)
    if (!isEventField(key) && hasOverflow((event as unknown as Record<string, unknown>)[key]))
      return undefined
  return {
    event: event.event,
    userId: event.userId ?? undefined,
    anonymousId: event.anonymousId ?? undefined,
    properties,
    timestamp,
    insertId: event.insertId ?? undefined,
    sdkVersion: event.sdkVersion ?? undefined,
  }
}

/** All offending fields of a refused request, at most a hundred, in document order. */
function allDetails(request: unknown): Detail[] {
  const outer = isEventsRequestShape(request) ? [] : shapeDetails(isEventsRequestShape.errors, request, '')
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return outer
  const { sentAt, events } = request as { readonly sentAt?: unknown; readonly events?: unknown }
  if (typeof sentAt === 'string' && parseClampedRfc3339(sentAt) === undefined)
    outer.push({ path: '/sentAt', message: TIME_RULE })
  outer.push(...overflowDetails(request, '', isRequestField))
  // The sort is stable, so the events stay in their order under the key `events`.
  const inner: Detail[] = []
  if (Array.isArray(events) && events.length <= EVENT_LIMITS.eventsPerRequest)
    for (let i = 0; i < events.length && inner.length < MAX_REPORTED_FIELDS; i++)
      inner.push(...eventDetails(events[i], `/events/${i}`))
  return inDocumentOrder([...outer, ...inner], request, '').slice(0, MAX_REPORTED_FIELDS)
}

/** Problems of an event. Paths start with `base`. */
export function eventDetails(event: unknown, base: string): Detail[] {
  const details = isEventShape(event) ? [] : shapeDetails(isEventShape.errors, event, base)
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return details
  const { timestamp, properties } = event as Partial<Record<keyof EventShape, unknown>>
  if (typeof timestamp === 'string' && parseClampedRfc3339(timestamp) === undefined)
    details.push({ path: `${base}/timestamp`, message: TIME_RULE })
  if (typeof properties === 'object' && properties !== null && !Array.isArray(properties)) {
    const text = acceptProperties(properties)
    if (typeof text !== 'string') details.push({ path: `${base}/properties`, message: text.broken })
  }
  details.push(...overflowDetails(event, base, isEventField))
  return inDocumentOrder(details, event, base)
}

/** Unknown fields are ignored, but a value that was not parsed as written is reported. */
function overflowDetails(value: object, base: string, isKnown: (key: string) => boolean): Detail[] {
  const details: Detail[] = []
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (isKnown(key) || !hasOverflow(member)) continue
    details.push({
      path: `${base}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: OVERFLOW_RULE,
    })
    if (details.length === MAX_REPORTED_FIELDS) break
  }
  return details
}

export function isEventField(key: string): boolean {
  switch (key) {
    case 'event':
    case 'userId':
    case 'anonymousId':
    case 'properties':
    case 'timestamp':
    case 'insertId':
    case 'sdkVersion':
      return true
    default:
      return false
  }
}

export function isRequestField(key: string): boolean {
  return key === 'events' || key === 'sentAt'
}

function isAliasField(key: string): boolean {
  return key === 'anonymousId' || key === 'userId'
}

/** @param body which the paths of `details` point into */
export function refuse<T>(details: readonly Detail[], body: unknown): DecodeResult<T> {
  const subject = subjectOf(details[0]?.path ?? '', body)
  return { ok: false, refusal: { ...validationRefusal(details), subject } }
}

function malformed<T>(message: string): DecodeResult<T> {
  return { ok: false, refusal: { code: 'MALFORMED_JSON', message, field: '' } }
}
