import { EXPOSURES_SCOPE } from '../../domain/key.js'

/** The event and the value that a refusal is about, for the owner of the key. */
export interface Subject {
  readonly eventName: string | null
  /** An excerpt of the field's value as JSON, or what it is; null without a value. */
  readonly value: string | null
}

/** Codes of the ingestion API and their statuses. */
export const REFUSAL_STATUS = {
  VALIDATION_FAILED: 400,
  MALFORMED_JSON: 400,
  UNAUTHENTICATED: 401,
  SECRET_KEY_IN_BROWSER: 403,
  MISSING_PERMISSION: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  ALIAS_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  DAILY_CAP_REACHED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const
export type RefusalCode = keyof typeof REFUSAL_STATUS

/** One offending field: `path` is a JSON pointer into the body, or `header.NAME`. */
export interface Detail {
  readonly path: string
  readonly message: string
}

/** Why a request is refused; nothing of it was recorded. */
export interface IngestRefusal {
  readonly code: RefusalCode
  /** A sentence for the client's developer: what is wrong and what to do. */
  readonly message: string
  readonly details?: readonly Detail[]
  /**
   * The first offending field as `events[3].event`, `''` for the body itself; omitted if no field is to
   * blame.
   */
  readonly field?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** For the owner of the key; not part of the answer. */
  readonly subject?: Subject
  /** The rest of the request cannot be trusted or is too long to skip. */
  readonly closeConnection?: boolean
}

export function refusalBody(refusal: IngestRefusal, requestId: string): string {
  return JSON.stringify({
    code: refusal.code,
    message: refusal.message,
    requestId,
    details: refusal.details ?? [],
    field: refusal.field ?? null,
  })
}

/** Nothing was recorded, and a retry is right. */
export function unavailableRefusal(message: string, retryAfterSeconds = 1): IngestRefusal {
  return { code: 'UNAVAILABLE', message, headers: [['Retry-After', String(retryAfterSeconds)]] }
}

/** The key has the scope `exposures.send`, which allows nothing else. */
export function exposuresOnlyRefusal(path: string): IngestRefusal {
  const rule = `must be $exposure: this key has the scope ${EXPOSURES_SCOPE} only`
  return path === ''
    ? {
        code: 'MISSING_PERMISSION',
        message: `this key has the scope ${EXPOSURES_SCOPE} only: use a server key without scopes`,
      }
    : { ...validationRefusal([{ path, message: rule }]), code: 'MISSING_PERMISSION' }
}
/** Such a key may not use an insertId of other events. */
export function insertIdRefusal(path: string): IngestRefusal {
  const rule = `must begin with $exposure: or be left out: this key has the scope ${EXPOSURES_SCOPE} only`
  return { ...validationRefusal([{ path, message: rule }]), code: 'MISSING_PERMISSION' }
}
export const OVERLOADED = unavailableRefusal(
  'the gateway is overloaded; nothing was recorded: send the request again',
)
/** The share of one workspace is used up, whatever the others do. */
export const TOO_MUCH_AT_ONCE: IngestRefusal = {
  code: 'RATE_LIMITED',
  message:
    'too many requests of this workspace are in progress; nothing was recorded: send fewer at once, and this one again',
  headers: [['Retry-After', '1']],
}

/** `/events/3/event` as `events[3].event`; the empty pointer is the body itself. */
export function fieldOf(pointer: string): string {
  let field = ''
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(name)) field += `[${name}]`
    else field += field === '' ? name : `.${name}`
  }
  return field
}

/** Most fields that are reported; the message does not claim to know how many more there are. */
export const MAX_REPORTED_FIELDS = 100

/** A refusal for the fields in `details`, the first of which becomes `field`. */
export function validationRefusal(details: readonly Detail[]): IngestRefusal {
  const first = details[0] ?? { path: '', message: 'is not acceptable' }
  const field = fieldOf(first.path)
  const others = details.length - 1
  const atLeast = details.length >= MAX_REPORTED_FIELDS ? 'at least ' : ''
  const more = others > 0 ? ` (and ${atLeast}${others} more)` : ''
  return {
    code: 'VALIDATION_FAILED',
    message: `${field === '' ? 'the body' : field} ${first.message}${more}`,
    details: details.map((detail) => ({
      path: detail.path,
      message: `${fieldOf(detail.path) || 'the body'} ${detail.message}`,
    })),
    field,
  }
}

export const NOT_FOUND: IngestRefusal = {
  code: 'NOT_FOUND',
  message: 'unknown path: use POST /v1/events, POST /v1/alias or GET /v1/serving, without a slash at the end',
}
export function methodNotAllowed(allowed: string): IngestRefusal {
  return {
    code: 'METHOD_NOT_ALLOWED',
    message: `use ${allowed} here`,
    headers: [['Allow', allowed]],
  }
}
export function repeatedHeader(name: string): IngestRefusal {
  return {
    code: 'VALIDATION_FAILED',
    message: `the header ${name} was sent twice: send it once`,
    details: [{ path: `header.${name}`, message: 'must be sent once' }],
  }
}
export const SECRET_KEY_IN_BROWSER: IngestRefusal = {
  code: 'SECRET_KEY_IN_BROWSER',
  message:
    'a server key was sent by a browser (Origin header), so it is public: revoke it and send events through your own server',
}
export const LOG_UNAVAILABLE = unavailableRefusal(
  'the event log is unavailable; nothing was recorded: send the batch again',
  2,
)
export const ALIAS_CONFLICT: IngestRefusal = {
  ...validationRefusal([
    { path: '/anonymousId', message: 'is already linked to another user; nothing was changed' },
  ]),
  code: 'ALIAS_CONFLICT',
}
