import type { JsonValue, PropertyFilter } from '../../domain/funnel.js'
import type { Parameters } from './parameters.js'

/**
 * A filter on an event's properties (columns `properties` and `json`) as a condition, as docs/funnels.md
 * defines it: types never convert, a path is a whole key first and then split at its dots, only objects have
 * keys. Strings compare by code points, as UTF-8 bytes do. A lone surrogate compares as U+FFFD.
 */
export function filterSql(filter: PropertyFilter, parameters: Parameters): string {
  switch (filter.operator) {
    case 'neq':
      return `NOT ${filterSql({ ...filter, operator: 'eq' }, parameters)}`
    case 'not_exists':
      return `NOT ${filterSql({ ...filter, operator: 'exists' }, parameters)}`
    default: {
      const condition = anyPath(filter.property, parameters, (path) => conditionAt(path, filter, parameters))
      const proved = isProvedByHint(filter) ? `if(${ONE_OBJECT}, 1, ${condition})` : condition
      return `(${hint(filter, parameters)} AND ${proved})`
    }
  }
}

/**
 * Properties as text that the engine's parser accepts. It rejects two things that JSON.stringify writes:
 * whole numbers above 64 bits, which get a fraction here, and escapes of lone surrogates.
 */
const SURROGATES_REPLACED = String.raw`arrayStringConcat(arrayMap(
  part -> if(startsWith(part, '\\ud'), '\\ufffd', part),
  extractAll(properties, '\\\\u[0-9a-f]{4}|\\\\[^u]|[^\\\\]+')))`
const NUMBER = String.raw`'([:\\[,]-?[0-9]{19,21})([,\\]}])', '\\1.0\\2'`
/** Replaced twice, because the comma between two numbers of a list belongs to both. */
export const REPAIRED = String.raw`arrayStringConcat(arrayMap(
  part -> if(startsWith(part, '"'), part, replaceRegexpAll(replaceRegexpAll(part, ${NUMBER}), ${NUMBER})),
  extractAll(${SURROGATES_REPLACED}, '"(?:[^"\\\\]|\\\\.)*"|[^"]+')))`
/** The text that filters read, as column `json`: an expression that is used often is planned as often. */
export const JSON_TEXT = `if(isValidJSON(properties), properties, ${REPAIRED})`

/** Keys and list indexes, as arguments of the engine's JSON functions. */
type Path = string

function anyPath(property: string, parameters: Parameters, condition: (path: Path) => string): string {
  const whole = condition(key(property, parameters))
  if (!property.includes('.')) return whole
  const split = property.split('.').map((part) => key(part, parameters))
  return `if(JSONHas(json, ${key(property, parameters)}), ${whole}, ${condition(split.join(', '))})`
}

export function key(name: string, parameters: Parameters): Path {
  return parameters.bind('String', name)
}

/**
 * A text that passing properties contain. Searching costs a quarter of parsing, so most rows are not parsed.
 */
export function hint(
  filter: Pick<PropertyFilter, 'property' | 'operator' | 'value'>,
  parameters: Parameters,
): string {
  // Stored properties are JSON.stringify's text, so they contain a key and its value in that form.
  const last = filter.property.includes('.')
    ? filter.property.slice(filter.property.lastIndexOf('.') + 1)
    : filter.property
  // A dotted path may also be a whole key, which ends in the same characters.
  const keyText = filter.property.includes('.') ? JSON.stringify(last).slice(1) : JSON.stringify(last)
  const valueText =
    filter.operator === 'eq' && (typeof filter.value !== 'object' || filter.value === null)
      ? JSON.stringify(filter.value)
      : ''
  const text = `${keyText}:${valueText}`
  // Stored escaped or literally: there is no single text to search for.
  if (/\ufffd|\\ud[89a-f]/.test(text)) return '1'
  return `position(properties, ${parameters.bind('String', text)}) > 0`
}

/** Properties without an inner object or an escape, so that every quote in them begins or ends a string. */
const ONE_OBJECT = String.raw`position(properties, '{', 2) + position(properties, '\\') = 0`

/** Whether the text of `hint` in properties of one object is the whole key with its whole value. */
function isProvedByHint({ property, operator, value }: PropertyFilter): boolean {
  if (operator !== 'eq' || property.includes('.') || !isFindable(property)) return false
  if (typeof value === 'boolean') return true
  return (
    typeof value === 'string' && JSON.stringify(value) === `"${value}"` && !/\ufffd/.test(property + value)
  )
}

/**
 * Whether a key can be found in properties without parsing. The search takes the end of a string for its
 * start, so the key must not continue like JSON text after a string.
 */
export function isFindable(property: string): boolean {
  return JSON.stringify(property) === `"${property}"` && !/[:,}]/.test(property)
}

function conditionAt(path: Path, filter: PropertyFilter, parameters: Parameters): string {
  const { operator, value } = filter
  if (operator === 'exists') return `${typeOf(path)} != 'Null'`
  if (value === undefined) throw new TypeError(`the operator ${operator} needs a value`)
  switch (operator) {
    case 'eq':
      return equals(path, value, parameters)
    case 'in':
      return isOneOf(path, value, parameters)
    case 'contains':
      if (typeof value !== 'string') return '0'
      return `(${isString(path)} AND position(${stringAt(path)}, ${parameters.bind('String', value)}) > 0)`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compare(path, COMPARISON_SIGNS[operator], value, parameters)
    default:
      throw new TypeError(`${operator} is no operator`)
  }
}

const COMPARISON_SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const typeOf = (path: Path) => `JSONType(json, ${path})`
const isString = (path: Path) => `${typeOf(path)} = 'String'`
const isNumber = (path: Path) => `${typeOf(path)} IN ('Int64', 'UInt64', 'Double')`
const stringAt = (path: Path) => `JSONExtractString(json, ${path})`
const numberAt = (path: Path) => `JSONExtractFloat(json, ${path})`

/** SQL of a property (column `json`) as a number; `otherwise` if it is missing or not a number. */
export function numberSql(property: string, otherwise: '0' | 'NULL', parameters: Parameters): string {
  return anyPath(property, parameters, (path) => `if(${isNumber(path)}, ${numberAt(path)}, ${otherwise})`)
}

function compare(path: Path, sign: string, value: JsonValue, parameters: Parameters): string {
  if (typeof value === 'string')
    return `(${isString(path)} AND ${stringAt(path)} ${sign} ${parameters.bind('String', value)})`
  if (typeof value === 'number')
    return `(${isNumber(path)} AND ${numberAt(path)} ${sign} ${float(value, parameters)})`
  return '0'
}

function equals(path: Path, value: JsonValue, parameters: Parameters): string {
  if (typeof value === 'string' || typeof value === 'number') return compare(path, '=', value, parameters)
  if (typeof value === 'boolean')
    return `(${typeOf(path)} = 'Bool' AND JSONExtractBool(json, ${path}) = ${value ? 1 : 0})`
  if (value === null) return `(JSONHas(json, ${path}) AND ${typeOf(path)} = 'Null')`
  const inside = Array.isArray(value)
    ? value.map((item, index) => equals(`${path}, ${index + 1}`, item, parameters))
    : Object.entries(value).map(([name, item]) =>
        equals(`${path}, ${key(name, parameters)}`, item, parameters),
      )
  const type = Array.isArray(value) ? 'Array' : 'Object'
  const size = `JSONLength(json, ${path}) = ${inside.length}`
  return `(${[`${typeOf(path)} = '${type}'`, size, ...inside].join(' AND ')})`
}

function isOneOf(path: Path, value: JsonValue, parameters: Parameters): string {
  if (!Array.isArray(value)) throw new TypeError('the operator in needs a list')
  const strings = value.filter((item) => typeof item === 'string')
  const numbers = value.filter((item) => typeof item === 'number')
  const others = value
    .filter((item) => typeof item !== 'string' && typeof item !== 'number')
    .map((item) => equals(path, item, parameters))
  if (strings.length > 0)
    others.push(
      `(${isString(path)} AND has(${parameters.bind('Array(String)', strings)}, ${stringAt(path)}))`,
    )
  if (numbers.length > 0)
    others.push(
      `(${isNumber(path)} AND has(arrayMap(bits -> reinterpretAsFloat64(bits), ${parameters.bind('Array(UInt64)', numbers.map(bitsOf))}), ${numberAt(path)}))`,
    )
  return others.length === 0 ? '0' : `(${others.join(' OR ')})`
}

/** A double by its bits, because the text of a number is not read back exactly everywhere. */
function float(value: number, parameters: Parameters): string {
  return `reinterpretAsFloat64(${parameters.bind('UInt64', bitsOf(value).toString())})`
}

function bitsOf(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8))
  // JSON has one zero.
  bits.setFloat64(0, value === 0 ? 0 : value)
  return bits.getBigUint64(0)
}
