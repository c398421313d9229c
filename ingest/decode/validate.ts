import { _, Ajv, type ErrorObject, type KeywordCxt } from 'ajv'
import { EVENT_LIMITS } from '../../domain/event.js'
import type { Detail } from '../http/errors.js'

/**
 * The shape of ingestion bodies. Rules that need a computed value (times, canonical properties) are in
 * decode.ts. `null` in an optional field counts as absent, hence the unions. Lengths are UTF-16 code units,
 * which ajv's `maxLength` does not count, hence the custom keywords.
 */
const EVENT_NAME_CHARACTERS = /[A-Za-z0-9_.$-]/
/**
 * 1 for each code unit allowed in event names: faster than a pattern, which matters at a million events a
 * second.
 */
const IS_IN_EVENT_NAME = Uint8Array.from({ length: 128 }, (_, unit) =>
  EVENT_NAME_CHARACTERS.test(String.fromCharCode(unit)) ? 1 : 0,
)

function hasEventNameCharacters(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (IS_IN_EVENT_NAME[text.charCodeAt(i)] !== 1) return false
  return true
}

/** No NUL and no lone surrogate; the platform skips the latter check for Latin strings. */
function hasIdCharacters(text: string): boolean {
  return !text.includes('\0') && (text as string & { isWellFormed(): boolean }).isWellFormed()
}

const requiredId = (longest: number): object => ({
  type: 'string',
  utf16Length: [1, longest],
  idCharacters: true,
})
const optionalId = (longest: number): object => ({
  type: ['string', 'null'],
  utf16Length: [1, longest],
  idCharacters: true,
})

const EVENT_SCHEMA = {
  type: 'object',
  required: ['event'],
  identified: true,
  properties: {
    event: { type: 'string', utf16Length: [1, EVENT_LIMITS.eventNameLength], eventNameCharacters: true },
    userId: optionalId(EVENT_LIMITS.userIdLength),
    anonymousId: optionalId(EVENT_LIMITS.anonymousIdLength),
    properties: { type: ['object', 'null'] },
    timestamp: { type: ['string', 'null'] },
    insertId: optionalId(EVENT_LIMITS.insertIdLength),
    sdkVersion: { type: ['string', 'null'], utf16Length: [0, EVENT_LIMITS.sdkVersionLength] },
  },
}

const EVENTS_REQUEST_SCHEMA = {
  type: 'object',
  required: ['events'],
  properties: {
    events: { type: 'array', minItems: 1, maxItems: EVENT_LIMITS.eventsPerRequest },
    sentAt: { type: ['string', 'null'] },
  },
}

const ALIAS_SCHEMA = {
  type: 'object',
  required: ['anonymousId', 'userId'],
  properties: {
    anonymousId: requiredId(EVENT_LIMITS.anonymousIdLength),
    userId: requiredId(EVENT_LIMITS.userIdLength),
  },
}

export interface EventShape {
  readonly event: string
  readonly userId?: string | null
  readonly anonymousId?: string | null
  readonly properties?: object | null
  readonly timestamp?: string | null
  readonly insertId?: string | null
  readonly sdkVersion?: string | null
}

interface EventsRequestShape {
  readonly events: readonly unknown[]
  readonly sentAt?: string | null
}

export interface AliasShape {
  readonly anonymousId: string
  readonly userId: string
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true })
ajv.addKeyword({
  keyword: 'utf16Length',
  type: 'string',
  schemaType: 'array',
  code(cxt: KeywordCxt) {
    const [least, most] = cxt.schema as [number, number]
    cxt.fail(_`${cxt.data}.length < ${least} || ${cxt.data}.length > ${most}`)
  },
})
ajv.addKeyword({
  keyword: 'idCharacters',
  type: 'string',
  schemaType: 'boolean',
  compile: () => hasIdCharacters,
  errors: false,
})
ajv.addKeyword({
  keyword: 'eventNameCharacters',
  type: 'string',
  schemaType: 'boolean',
  compile: () => hasEventNameCharacters,
  errors: false,
})
ajv.addKeyword({
  keyword: 'identified',
  type: 'object',
  schemaType: 'boolean',
  code(cxt: KeywordCxt) {
    // Loose comparison on purpose: absent and null are the same.
    cxt.fail(_`${cxt.data}.userId == null && ${cxt.data}.anonymousId == null`)
  },
})

export const isEventShape = ajv.compile<EventShape>(EVENT_SCHEMA)
export const isEventsRequestShape = ajv.compile<EventsRequestShape>(EVENTS_REQUEST_SCHEMA)
export const isAliasShape = ajv.compile<AliasShape>(ALIAS_SCHEMA)

/**
 * Offending fields of the validators' last refusal, in document order; a missing name comes first, missing
 * ids right after the name. Paths start with `base`.
 */
export function shapeDetails(
  errors: readonly ErrorObject[] | null | undefined,
  data: unknown,
  base: string,
): Detail[] {
  const details = (errors ?? []).map((error) => detailOf(error, base))
  return inDocumentOrder(details, data, base)
}

/** Sorts details of direct fields of `data` by the order of the fields in it; the sort is stable. */
export function inDocumentOrder(details: readonly Detail[], data: unknown, base: string): Detail[] {
  if (details.length < 2) return [...details]
  const index = new Map<string, number>()
  if (typeof data === 'object' && data !== null)
    for (const key of Object.keys(data)) index.set(key, index.size)
  const placeOf = (detail: Detail): number => {
    const key = detail.path.slice(base.length + 1).split('/')[0] ?? ''
    // Missing ids are reported as `userId`, right after the name.
    if (detail.message === NOT_IDENTIFIED && key === 'userId') return (index.get('event') ?? -1) + 0.5
    return index.get(key) ?? -1
  }
  return details
    .map((detail) => ({ detail, place: placeOf(detail) }))
    .sort((a, b) => a.place - b.place)
    .map(({ detail }) => detail)
}

const NOT_IDENTIFIED = 'or anonymousId is required: send at least one of them'

function detailOf(error: ErrorObject, base: string): Detail {
  const path = base + error.instancePath
  const value: unknown = error.data
  switch (error.keyword) {
    case 'required':
      return { path: `${path}/${String(error.params.missingProperty)}`, message: 'is required' }
    case 'identified':
      return { path: `${path}/userId`, message: NOT_IDENTIFIED }
    case 'type':
      return { path, message: `must be ${TYPE_NAMES[firstType(error.schema)] ?? 'of another type'}` }
    case 'minItems':
      return { path, message: 'must not be empty: send at least one event' }
    case 'maxItems':
      return {
        path,
        message: `must have at most ${error.schema} events, not ${Array.isArray(value) ? value.length : 'more'}: send them in several requests`,
      }
    case 'utf16Length': {
      const length = typeof value === 'string' ? value.length : 0
      const most = Array.isArray(error.schema) ? Number(error.schema[1]) : 0
      return {
        path,
        message:
          length === 0 ? 'must not be empty' : `must have at most ${most} UTF-16 code units, not ${length}`,
      }
    }
    case 'idCharacters':
      return { path, message: 'must not contain NUL (U+0000) or an unpaired surrogate' }
    case 'eventNameCharacters':
      return { path, message: 'must contain only the characters A-Z a-z 0-9 _ . - $' }
    default:
      return { path, message: error.message ?? 'is not acceptable' }
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'a JSON object',
  array: 'an array',
}

function firstType(schema: unknown): string {
  return String(Array.isArray(schema) ? schema[0] : schema)
}
