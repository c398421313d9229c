import {
  addProperties,
  type ForeignBody,
  type ForeignMessage,
  isJsonObject,
  type JsonObject,
  readBatch,
  renameEvent,
  toId,
  toSdkVersion,
  toTime,
} from '../message.js'

/**
 * The calls of Segment's HTTP API: one message each, or a batch of messages that name their call in `type`.
 */
export const SEGMENT_CALLS = ['batch', 'track', 'identify', 'page', 'screen', 'group', 'alias'] as const
export type SegmentCall = (typeof SEGMENT_CALLS)[number]

const FIELDS = { insertId: 'messageId' }
const FIELDS_WITH_TRAITS = { ...FIELDS, properties: 'traits' }
const LINK_FIELDS = { anonymousId: 'previousId' }

export function readSegmentBody(body: JsonObject, call: SegmentCall): ForeignBody {
  if (call !== 'batch') return { sentAt: body.sentAt, messages: [readMessage(body, call, '')] }
  const messages = readBatch(body.batch, (message, path) =>
    readMessage({ ...message, context: message.context ?? body.context }, message.type, path),
  )
  return { sentAt: body.sentAt, messages }
}

function readMessage(message: JsonObject, call: unknown, path: string): ForeignMessage {
  if (call === 'alias')
    return {
      path,
      link: { anonymousId: toId(message.previousId), userId: toId(message.userId) },
      fields: LINK_FIELDS,
    }
  const named = readCall(message, call)
  if (named === undefined)
    return { path: `${path}/type`, broken: 'must be track, identify, page, screen, group or alias' }
  const { context } = message
  const library = isJsonObject(context) && isJsonObject(context.library) ? context.library : {}
  return {
    path,
    event: {
      event: named.event,
      userId: toId(message.userId),
      anonymousId: toId(message.anonymousId),
      properties: addProperties(named.properties, { $context: context }),
      timestamp: toTime(message.timestamp ?? message.originalTimestamp),
      insertId: toId(message.messageId),
      sdkVersion: toSdkVersion(library.name, library.version),
    },
    fields: call === 'identify' || call === 'group' ? FIELDS_WITH_TRAITS : FIELDS,
  }
}

/** The name and properties of the event that a call is to us; undefined for an unknown call. */
function readCall(message: JsonObject, call: unknown): JsonObject | undefined {
  const { event, properties, traits, name, category, groupId } = message
  switch (call) {
    case 'track':
      return renameEvent(event, properties)
    case 'page':
    case 'screen':
      return { event: `$${call}`, properties: addProperties(properties, { name, category }) }
    case 'identify':
      return { event: '$identify', properties: traits }
    case 'group':
      return { event: '$group', properties: addProperties(traits, { groupId }) }
    default:
      return undefined
  }
}
