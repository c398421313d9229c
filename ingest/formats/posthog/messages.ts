import {
  addProperties,
  type FieldNames,
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

const FIELDS = { insertId: 'uuid', userId: 'distinct_id', anonymousId: 'distinct_id' }
const IDENTIFY_FIELDS = { ...FIELDS, anonymousId: 'properties/$anon_distinct_id' }
const ALIAS_FIELDS = { ...FIELDS, anonymousId: 'properties/alias' }

/** One event, or a list of them in `batch`. */
export function readPosthogBody(body: JsonObject): ForeignBody {
  const messages = body.batch === undefined ? [readMessage(body, '')] : readBatch(body.batch, readMessage)
  return { sentAt: body.sent_at ?? body.sentAt, messages }
}

function readMessage(message: JsonObject, path: string): ForeignMessage {
  const { $set, $set_once } = message
  const properties = isJsonObject(message.properties) ? message.properties : {}
  const { event, properties: named } = renameEvent(message.event, message.properties)
  const { ids, fields } = readIds(message, properties)
  return {
    path,
    event: {
      event,
      ...ids,
      properties: addProperties(named, { $set, $set_once }),
      timestamp: toTime(message.timestamp),
      insertId: toId(message.uuid),
      sdkVersion: toSdkVersion(properties.$lib, properties.$lib_version),
    },
    fields,
  }
}

/** PostHog has one id for both: what kind it is depends on the event. */
function readIds(
  { event, distinct_id }: JsonObject,
  properties: JsonObject,
): { readonly ids: JsonObject; readonly fields: FieldNames } {
  const id = toId(distinct_id ?? properties.distinct_id)
  if (event === '$identify')
    return { ids: { userId: id, anonymousId: toId(properties.$anon_distinct_id) }, fields: IDENTIFY_FIELDS }
  if (event === '$create_alias')
    return { ids: { userId: id, anonymousId: toId(properties.alias) }, fields: ALIAS_FIELDS }
  const isAnonymous =
    event === '$groupidentify' ||
    properties.$is_identified === false ||
    properties.$process_person_profile === false
  return { ids: isAnonymous ? { anonymousId: id } : { userId: id }, fields: FIELDS }
}
