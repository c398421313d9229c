import { type AcceptedEvent, EVENT_LIMITS, type Sender } from '../../domain/event.js'
import { parseClampedRfc3339 } from '../../domain/rfc3339.js'
import { encodeEvents, type WorkspaceHashKeys } from '../../log/record.js'
import {
  acceptEvent,
  acceptLink,
  type DecodeResult,
  eventDetails,
  parseBody,
  refuse,
} from '../decode/decode.js'
import type { EncodedRequest } from '../decode/fast-path/decoder.js'
import { subjectOf } from '../decode/subject.js'
import type { AliasShape } from '../decode/validate.js'
import { type Detail, type IngestRefusal, MAX_REPORTED_FIELDS, type Subject } from '../http/errors.js'
import { type FieldNames, type ForeignMessage, isJsonObject, toTime } from './message.js'
import { readPosthogBody } from './posthog/messages.js'
import { readSegmentBody, type SegmentCall } from './segment/messages.js'

/** The call that a route reads: one of Segment's, or any body of PostHog's. */
export type ForeignCall = SegmentCall | 'posthog'

/** The good messages of a foreign body, and why the others are refused. */
export interface ForeignRequest extends EncodedRequest {
  /** Refused messages. */
  readonly refused: number
  /** Their offending fields, at most a hundred. */
  readonly details: readonly Detail[]
  /** Of the first of them. */
  readonly subject: Subject
}

const TOO_MANY: IngestRefusal = {
  code: 'PAYLOAD_TOO_LARGE',
  message: `the batch has more than ${EVENT_LIMITS.eventsPerRequest} messages: send them in several requests`,
}

/**
 * Turns a foreign body, after decompression, into records for the log. Each message passes the validation of
 * our own events. The body is refused only if nothing in it is good.
 */
export function encodeForeign(
  call: ForeignCall,
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number },
): DecodeResult<ForeignRequest> {
  const parsed = parseBody(body)
  if (!parsed.ok) return parsed
  if (!isJsonObject(parsed.value))
    return refuse([{ path: '', message: 'must be a JSON object' }], parsed.value)
  const { value } = parsed
  const { sentAt, messages } = call === 'posthog' ? readPosthogBody(value) : readSegmentBody(value, call)
  if (messages.length > EVENT_LIMITS.eventsPerRequest) return { ok: false, refusal: TOO_MANY }
  if (messages.length === 0) return refuse([{ path: '/batch', message: 'must not be empty' }], value)
  const events: AcceptedEvent[] = []
  const identities: (AcceptedEvent | AliasShape)[] = []
  const details: Detail[] = []
  for (const message of messages) {
    const accepted = accept(message)
    if (Array.isArray(accepted)) {
      if (details.length < MAX_REPORTED_FIELDS) details.push(...accepted)
      continue
    }
    identities.push(accepted)
    if ('event' in accepted) events.push(accepted)
  }
  if (identities.length === 0) return refuse(details.slice(0, MAX_REPORTED_FIELDS), value)
  const encoded = encodeEvents({ ...sender, sentAt: readSentAt(sentAt), events }, keys, log, identities)
  return {
    ok: true,
    value: {
      ...encoded,
      head: { ...sender, sentAt: encoded.head.sentAt },
      refused: messages.length - identities.length,
      details: details.slice(0, MAX_REPORTED_FIELDS),
      subject: subjectOf(details[0]?.path ?? '', value),
    },
  }
}

/** Our form of a message, or what is wrong with it. */
function accept(message: ForeignMessage): AcceptedEvent | AliasShape | Detail[] {
  if ('broken' in message) return [{ path: message.path, message: message.broken }]
  const { path, fields } = message
  if ('event' in message)
    return acceptEvent(message.event) ?? renameFields(eventDetails(message.event, path), fields)
  const link = acceptLink(message.link, path)
  return Array.isArray(link) ? renameFields(link, fields) : link
}

/** Names the fields as the client does. */
function renameFields(details: readonly Detail[], fields: FieldNames): Detail[] {
  return details.map(({ path, message }) => {
    const start = path.lastIndexOf('/') + 1
    return { path: path.slice(0, start) + (fields[path.slice(start)] ?? path.slice(start)), message }
  })
}

/** A clock that cannot be read corrects nothing: the events are as good without it. */
function readSentAt(value: unknown): number | undefined {
  const time = toTime(value)
  return typeof time === 'string' ? parseClampedRfc3339(time) : undefined
}
