import {
  type ForeignMessage,
  isJsonObject,
  type JsonObject,
  renameEvent,
  toId,
  toSdkVersion,
  toTime,
} from '../../../ingest/formats/message.js'
import { readPosthogBody } from '../../../ingest/formats/posthog/messages.js'
import { readSegmentBody } from '../../../ingest/formats/segment/messages.js'

export const IMPORT_FORMATS = ['svc', 'segment', 'posthog', 'amplitude', 'mixpanel'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** A line of an export as an event with our field names, for our own validation, or why it is not one. */
export function readExported(format: ImportFormat, row: JsonObject): JsonObject | string {
  switch (format) {
    case 'svc':
      return readOwn(row)
    case 'segment':
      return eventOf(readSegmentBody({ batch: [row] }, 'batch').messages[0])
    case 'posthog':
      return eventOf(readPosthogBody({ ...row, properties: objectOf(row.properties) }).messages[0])
    case 'amplitude':
      return readAmplitude(row)
    case 'mixpanel':
      return readMixpanel(row)
  }
}

/** Lines of `svc events export` and of `svc events send`. */
function readOwn({
  event,
  userId,
  anonymousId,
  properties,
  timestamp,
  insertId,
  id,
  sdkVersion,
}: JsonObject): JsonObject {
  return { event, userId, anonymousId, properties, timestamp, insertId: insertId ?? id, sdkVersion }
}

/** A link without an event becomes one, since both ids of an event are linked. */
function eventOf(message: ForeignMessage | undefined): JsonObject | string {
  if (message === undefined) return 'is not a message'
  if ('broken' in message) return message.broken
  return 'event' in message ? message.event : { ...message.link, event: '$alias' }
}

/** Amplitude's Export API. Its times have no zone and are UTC. */
function readAmplitude(row: JsonObject): JsonObject {
  const { event_type, event_properties, user_properties, user_id, device_id, event_time } = row
  const properties = {
    ...(isJsonObject(event_properties) ? event_properties : {}),
    ...(isEmpty(user_properties) ? {} : { $user_properties: user_properties }),
  }
  return {
    ...renameEvent(event_type, properties),
    userId: toId(user_id),
    anonymousId: toId(device_id),
    timestamp: toTime(event_time),
    insertId: toId(row.$insert_id ?? row.insert_id ?? row.uuid),
    sdkVersion: toSdkVersion(row.library, undefined),
  }
}

const DEVICE = '$device:'
/** A time in milliseconds above this would be the year 5138 in seconds. */
const MAX_SECONDS = 1e11

/** Mixpanel's raw export: times are seconds since 1970, ids are among the properties. */
function readMixpanel({ event, properties }: JsonObject): JsonObject | string {
  if (!isJsonObject(properties)) return 'has no properties'
  const { time, distinct_id, $insert_id, $device_id, $user_id, $lib_version, mp_lib, ...rest } = properties
  const distinct = toId(distinct_id)
  const device =
    typeof distinct === 'string' && distinct.startsWith(DEVICE) ? distinct.slice(DEVICE.length) : undefined
  return {
    ...renameEvent(event, rest),
    userId: toId($user_id) ?? (device === undefined && distinct !== toId($device_id) ? distinct : undefined),
    anonymousId: toId($device_id) ?? device,
    timestamp: typeof time === 'number' ? timeOf(time) : toTime(time),
    insertId: toId($insert_id),
    sdkVersion: toSdkVersion(mp_lib, $lib_version),
  }
}

function timeOf(time: number): string | number {
  const at = new Date(time < MAX_SECONDS ? time * 1_000 : time)
  // A number that is no time is refused as it is.
  return Number.isNaN(at.getTime()) ? time : at.toISOString()
}

/** Some exports have objects as JSON texts. */
function objectOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    // The validation refuses the text, with its field.
    return value
  }
}

function isEmpty(value: unknown): boolean {
  return !isJsonObject(value) || Object.keys(value).length === 0
}
