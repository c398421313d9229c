import { randomBytes } from 'node:crypto'
import { correctTime } from '../../domain/clamp.js'
import type { AcceptedEvent, Sender } from '../../domain/event.js'
import { isPlaceholderId } from '../../domain/person.js'
import { encodeEvents, type WorkspaceHashKeys } from '../../log/record.js'
import {
  type DecodedEvents,
  type DecodeResult,
  decodeEvents,
  isEventField,
  isRequestField,
} from './decode.js'
import type { EncodedRequest } from './fast-path/decoder.js'

type WarningCode = 'UNKNOWN_FIELD' | 'NUMBER_ROUNDED' | 'CLAMPED_PAST' | 'CLAMPED_FUTURE' | 'PLACEHOLDER_ID'

/** Something that is accepted, but probably not meant. `path` is a JSON pointer into the body. */
interface Warning {
  readonly path: string
  readonly code: WarningCode
  readonly message: string
}

export interface WarnedRequest extends EncodedRequest {
  /** At most twenty. */
  readonly warnings: readonly Warning[]
  /** Of each warning; null if it is about no event. */
  readonly eventNames: readonly (string | null)[]
}

const MAX_WARNINGS = 20

/** The same records as without warnings, by the parser. */
export function encodeWithWarnings(
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number },
): DecodeResult<WarnedRequest> {
  const decoded = decodeEvents(body)
  if (!decoded.ok) return decoded
  const { head, ...encoded } = encodeEvents({ ...sender, ...decoded.value }, keys, log)
  const warnings = findWarnings(body.toString(), decoded.value, sender.receivedAt)
  const eventNames = warnings.map(({ path }) => decoded.value.events[eventIndexOf(path)]?.event ?? null)
  return { ok: true, value: { ...encoded, head: { ...sender, sentAt: head.sentAt }, warnings, eventNames } }
}

/** @param body that was accepted as `decoded` */
function findWarnings(body: string, { events, sentAt }: DecodedEvents, receivedAt: number): Warning[] {
  const request = JSON.parse(markRounded(body)) as { readonly events: readonly object[] }
  const warnings = unknownFields(request, '', isRequestField)
  for (const [index, event] of events.entries()) {
    if (warnings.length >= MAX_WARNINGS) break
    const path = `/events/${index}`
    const sent = request.events[index] ?? {}
    warnings.push(...unknownFields(sent, path, isEventField))
    warnings.push(...placeholders(event, path), ...clampedTime(event, path, receivedAt, sentAt))
    if ('properties' in sent) addRounded(sent.properties, `${path}/properties`, warnings)
  }
  return warnings.slice(0, MAX_WARNINGS)
}

/** NaN for a path that is in no event. */
function eventIndexOf(path: string): number {
  return Number(/^\/events\/(\d+)\//.exec(path)?.[1])
}

function unknownFields(value: object, path: string, isKnown: (key: string) => boolean): Warning[] {
  return Object.keys(value)
    .filter((key) => !isKnown(key))
    .map((key) => ({
      path: `${path}/${escapeKey(key)}`,
      code: 'UNKNOWN_FIELD',
      message: 'is not a field of svc and was ignored',
    }))
}

function placeholders(event: AcceptedEvent, path: string): Warning[] {
  return (['userId', 'anonymousId'] as const)
    .filter((field) => isPlaceholderId(event[field] ?? ''))
    .map((field) => ({
      path: `${path}/${field}`,
      code: 'PLACEHOLDER_ID',
      message: `is the placeholder ${JSON.stringify(event[field])}, which makes no link`,
    }))
}

function clampedTime(
  event: AcceptedEvent,
  path: string,
  receivedAt: number,
  sentAt: number | undefined,
): Warning[] {
  const { adjustment, timestamp } = correctTime(event.timestamp, receivedAt, sentAt)
  if (adjustment !== 'clamped_past' && adjustment !== 'clamped_future') return []
  const code = adjustment === 'clamped_past' ? 'CLAMPED_PAST' : 'CLAMPED_FUTURE'
  const bound = code === 'CLAMPED_PAST' ? 'older than seven days' : 'more than an hour ahead'
  const message = `is ${bound} and was moved to ${new Date(timestamp).toISOString()}`
  return [{ path: `${path}/timestamp`, code, message }]
}

/** Begins the text that replaces a rounded number. Random, so that no body can contain it. */
const ROUNDED = `rounded ${randomBytes(16).toString('hex')} `
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
/** Any number with so many digits is read back as it was written. */
const EXACT_DIGITS = 15

/** JSON text with a text in place of each number that a double does not hold as written. */
function markRounded(json: string): string {
  return json.replace(TEXT_OR_NUMBER, (token) =>
    token.startsWith('"') || !isRounded(token) ? token : JSON.stringify(ROUNDED + token),
  )
}

function isRounded(token: string): boolean {
  const digits = significantDigits(token)
  if (digits.length > EXACT_DIGITS) return digits !== significantDigits(String(Number(token)))
  return digits !== '' && Number(token) === 0
}

/** The digits of a number without its point, its exponent, and zeros at both ends. */
function significantDigits(token: string): string {
  return (token.split(/e/i, 1)[0] ?? '').replace(/[-.]/g, '').replace(/^0+|0+$/g, '')
}

function addRounded(value: unknown, path: string, warnings: Warning[]): void {
  if (typeof value === 'string' && value.startsWith(ROUNDED)) {
    const token = value.slice(ROUNDED.length)
    const message = `was rounded from ${token} to ${Number(token)}: send it as a text if each digit matters`
    warnings.push({ path, code: 'NUMBER_ROUNDED', message })
  } else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value) as [string, unknown][])
      addRounded(member, `${path}/${escapeKey(key)}`, warnings)
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
