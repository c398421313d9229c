import type { JsonValue, PropertyFilter } from '../../domain/funnel.js'

/** Result of a path that is not there; apart from null, which is a value. */
const MISSING = Symbol('missing')
type Found = JsonValue | typeof MISSING

/**
 * Whether an event's properties pass a filter, word for word as docs/funnels.md has it. Independent of the
 * compiler: it walks the parsed value. Strings are compared by code points, as ClickHouse compares their
 * UTF-8 bytes.
 */
export function passes(properties: JsonValue, filter: PropertyFilter): boolean {
  const found = lookUp(properties, filter.property)
  switch (filter.operator) {
    case 'eq':
      return found !== MISSING && sameJson(found, operand(filter))
    case 'neq':
      return found === MISSING || !sameJson(found, operand(filter))
    case 'in': {
      const list = operand(filter)
      if (!Array.isArray(list)) throw new TypeError('`in` wants a list')
      return found !== MISSING && list.some((item) => sameJson(found, item))
    }
    case 'exists':
      return found !== MISSING && found !== null
    case 'not_exists':
      return found === MISSING || found === null
    case 'contains': {
      const part = operand(filter)
      return (
        typeof found === 'string' && typeof part === 'string' && wellFormed(found).includes(wellFormed(part))
      )
    }
    case 'gt':
      return compare(found, operand(filter), (order) => order > 0)
    case 'gte':
      return compare(found, operand(filter), (order) => order >= 0)
    case 'lt':
      return compare(found, operand(filter), (order) => order < 0)
    case 'lte':
      return compare(found, operand(filter), (order) => order <= 0)
  }
}

function operand(filter: PropertyFilter): JsonValue {
  if (filter.value === undefined) throw new TypeError(`${filter.operator} wants a value`)
  return filter.value
}

/** The whole key first, then the path of its dots; only objects have keys. */
export function lookUp(properties: JsonValue, path: string): Found {
  if (isObject(properties) && Object.hasOwn(properties, path)) return properties[path] ?? null
  let at: JsonValue = properties
  for (const key of path.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return MISSING
    at = at[key] ?? null
  }
  return at
}

/** The value for a breakdown, null if it is missing. */
export function valueOrNull(properties: JsonValue, path: string): JsonValue {
  const found = lookUp(properties, path)
  return found === MISSING ? null : found
}

/** Equality of JSON values: types never mix, objects do not care for the order of their keys. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return wellFormed(a) === wellFormed(b)
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null))
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
    )
  }
  return a === b
}

/** The value as groups show it: keys in order, and U+FFFD for what UTF-8 cannot hold. */
export function inOneForm(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(inOneForm)
  if (!isObject(value)) return value
  const keys = Object.keys(value).map((key) => [wellFormed(key), key] as const)
  return Object.fromEntries(
    keys.sort(([a], [b]) => byCodePoint(a, b)).map(([name, key]) => [name, inOneForm(value[key] ?? null)]),
  )
}

const KINDS = ['null', 'false', 'true', 'number', 'string', 'other']

/** The order of values of different groups; see `breakDown`. */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const kind = (value: JsonValue) => {
    if (value === null || typeof value === 'boolean') return KINDS.indexOf(String(value))
    return typeof value === 'object' ? KINDS.length : KINDS.indexOf(typeof value)
  }
  if (kind(a) !== kind(b)) return kind(a) - kind(b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return byCodePoint(a, b)
  return byCodePoint(JSON.stringify(a), JSON.stringify(b))
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function compare(found: Found, value: JsonValue, accept: (order: number) => boolean): boolean {
  if (typeof found === 'number' && typeof value === 'number') return accept(found - value)
  if (typeof found === 'string' && typeof value === 'string') return accept(byCodePoint(found, value))
  return false
}

function byCodePoint(a: string, b: string): number {
  const left = [...wellFormed(a)]
  const right = [...wellFormed(b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** UTF-8 cannot hold a lone surrogate: wherever text is compared it counts as U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
