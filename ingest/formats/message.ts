/** A JSON object of a foreign body. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The client's names of our fields, if they differ. */
export type FieldNames = Readonly<Record<string, string>>

/** One message of a foreign body. Paths are JSON pointers into the body. */
export type ForeignMessage =
  /** An event with our field names, for our own validation. */
  | { readonly path: string; readonly event: JsonObject; readonly fields: FieldNames }
  /** A link of an anonymous id to a user, without an event. */
  | { readonly path: string; readonly link: JsonObject; readonly fields: FieldNames }
  /** Not readable as a message, with the reason. */
  | { readonly path: string; readonly broken: string }

export interface ForeignBody {
  /** The client's clock when it sent the request, as sent. */
  readonly sentAt: unknown
  readonly messages: readonly ForeignMessage[]
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads each message of a list in the field `batch`. */
export function readBatch(
  batch: unknown,
  read: (message: JsonObject, path: string) => ForeignMessage,
): readonly ForeignMessage[] {
  if (!Array.isArray(batch)) return [{ path: '/batch', broken: 'must be an array' }]
  return batch.map((message: unknown, index) => {
    const path = `/batch/${index}`
    return isJsonObject(message) ? read(message, path) : { path, broken: 'must be a JSON object' }
  })
}

const UNKNOWN_CHARACTERS = /[^A-Za-z0-9_.$-]+/g

/** `event` as our event name, and the properties, which keep the name as sent in `$name` if it changed. */
export function renameEvent(event: unknown, properties: unknown): JsonObject {
  if (typeof event !== 'string') return { event, properties }
  const name = event.replace(UNKNOWN_CHARACTERS, '_')
  return {
    event: name,
    properties: name === event ? properties : addProperties(properties, { $name: event }),
  }
}

/** Properties and more that are not null. Those that are no object are left for the validation to refuse. */
export function addProperties(properties: unknown, more: JsonObject): unknown {
  const added = Object.entries(more).filter(([, value]) => value != null)
  if (added.length === 0 || (properties != null && !isJsonObject(properties))) return properties
  return { ...properties, ...Object.fromEntries(added) }
}

/** An id: numbers as text, and an empty text as none, since these clients send both. */
export function toId(value: unknown): unknown {
  if (value === '') return undefined
  return Number.isSafeInteger(value) ? String(value) : value
}

const MAX_VERSION_LENGTH = 200

/** Our `sdkVersion`, as `NAME/VERSION`. */
export function toSdkVersion(name: unknown, version: unknown): string | undefined {
  const parts = [name, version].filter((part) => typeof part === 'string' && part !== '')
  return parts.length === 0 ? undefined : parts.join('/').slice(0, MAX_VERSION_LENGTH)
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i

/** An ISO 8601 time as RFC 3339: UTC if it has no zone, midnight if it is a day. Others stay as they are. */
export function toTime(value: unknown): unknown {
  const match = typeof value === 'string' ? ISO_TIME.exec(value) : null
  if (match === null) return value
  const zone = (match[3] ?? 'Z').replace(/^(...)(\d\d)$/, '$1:$2')
  return `${match[1]}T${match[2] ?? '00:00:00'}${zone}`
}
