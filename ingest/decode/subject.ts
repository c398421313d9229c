import type { Subject } from '../http/errors.js'

const MAX_LENGTH = 80
/** Fields that hold no id of a person. Of others the value is only described. */
const SHOWN_FIELDS = new Set(['event', 'type', 'timestamp', 'originalTimestamp', 'sentAt', 'sdkVersion'])

/** @param path JSON pointer into the body; what it points to may be missing */
export function subjectOf(path: string, body: unknown): Subject {
  let value = body
  let event = body
  const parts = path.split('/', MAX_DEPTH).slice(1)
  for (const [index, part] of parts.entries()) {
    value = memberOf(value, part.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (index === 1) event = value
  }
  const name = parts.length > 1 ? memberOf(event, 'event') : undefined
  return {
    eventName: typeof name === 'string' ? withoutKeys(storable(name, MAX_LENGTH)) : null,
    value: value === undefined ? null : excerpt(value, SHOWN_FIELDS.has(parts.at(-1) ?? '')),
  }
}

/** Deeper fields have no excerpt. */
const MAX_DEPTH = 8

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}

function excerpt(value: unknown, isShown: boolean): string {
  if (typeof value === 'string' && isShown)
    return withoutKeys(JSON.stringify(storable(value, MAX_LENGTH))) + (value.length > MAX_LENGTH ? '…' : '')
  if (typeof value === 'string') return `a text of ${value.length} characters`
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return value === null || isShown || typeof value === 'boolean' ? String(value) : 'a number'
}

/** Keys of svc must not be shown, whatever field they were put into. */
function withoutKeys(text: string): string {
  return text.replace(/tsk_\w*/g, 'tsk_…')
}

const PLAIN = /^[\x20-\x7e]*$/

/**
 * The beginning of a text, without what Postgres cannot store. A part is copied, because it would keep all of
 * the text in memory.
 */
export function storable(text: string, maxLength: number): string {
  if (text.length <= maxLength && PLAIN.test(text)) return text
  return Buffer.from(text.slice(0, maxLength)).toString().replaceAll('\0', '')
}
