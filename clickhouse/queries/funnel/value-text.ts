import type { Parameters } from './parameters.js'
import { hint, JSON_TEXT, key, numberSql, REPAIRED } from './property-filter.js'

/**
 * `rows` with another column, the JSON text of the value at a path as the engine writes it; empty where it is missing or null. Equal values have
 * equal texts, but for objects, which keep the order of their keys. In layers, as an expression that is used twice is planned twice.
 */
export function valueTextSql(
  rows: string,
  columns: string,
  name: string,
  property: string,
  parameters: Parameters,
): string {
  const present = hint({ property, operator: 'exists' }, parameters)
  const textOf = parsedText(property, parameters)
  // Only text in which nothing was found although the key is there is looked at again, in case the parser did not take it.
  const again = `if(found = '' AND ${present} AND NOT isValidJSON(properties), ${REPAIRED}, '')`
  return `SELECT ${columns}, if(found != '', if(found = 'null', '', found), if(foundAgain = 'null', '', foundAgain)) AS ${name} FROM (
SELECT ${columns}, found, ${textOf('again')} AS foundAgain FROM (
SELECT ${columns}, found, ${again} AS again FROM (
SELECT ${columns}, properties, ${textOf('present')} AS found FROM (
SELECT ${columns}, properties, if(${present}, properties, '') AS present FROM (${rows})))))`
}

/** The text of no value. */
const UNREAD = '?'
/** Longer properties that hold objects, lists or escapes are not parsed for each event: that could cost more than all else. */
const MAX_PARSED_BYTES = 200

/**
 * SQL of whether properties are flat: no object, no list and no escape in them, in strings either. There a key in its quotes stands once, and its value ends at the next comma or brace outside of
 * quotes.
 */
const FLAT = String.raw`position(properties, '{', 2) = 0 AND position(properties, '[') = 0 AND position(properties, '\\') = 0`

/** Whether a key can be found in flat properties without parsing: what looks for it takes the end of a string for its beginning, so it must not go on as a JSON text does behind a string. */
function isFindable(property: string): boolean {
  return JSON.stringify(property) === `"${property}"` && !/[:,}]/.test(property)
}

/**
 * Properties as numbers, 0 where they are missing or anything else: columns that rows with `properties` need for that, and the SQL of each number from them, at a fifth of the cost of parsing where
 * properties are flat. Exact with `precise_float_parsing`.
 *
 * @param parsed whether `json` is needed of every row for something else
 */
export function numbersSql(
  properties: readonly string[],
  parsed: boolean,
  parameters: Parameters,
): { readonly columns: readonly string[]; readonly numberSql: (property: string) => string } {
  const found = properties.some(isFindable)
  const columns = [
    ...(found ? [`${FLAT} AS flat`] : []),
    parsed || !properties.every(isFindable) ? `${JSON_TEXT} AS json` : `if(flat, '', ${JSON_TEXT}) AS json`,
  ]
  return {
    columns: parsed || properties.length > 0 ? columns : [],
    numberSql: (property) =>
      isFindable(property)
        ? `if(flat, toFloat64OrZero(simpleJSONExtractRaw(properties, ${key(property, parameters)})), ${numberSql(property, parameters)})`
        : numberSql(property, parameters),
  }
}

/**
 * Nearly the same as `valueTextSql` at a quarter of the cost, for properties that are flat: texts are as they are stored, or as the parser writes them, and null is a text too.
 * `UNREAD` where properties would have to be parsed and are long, or the parser does not take them, and in place of texts longer than `mostBytes`.
 */
export function storedTextSql(
  rows: string,
  columns: string,
  name: string,
  property: string,
  mostBytes: number,
  parameters: Parameters,
): string {
  const flat = isFindable(property) ? FLAT : '0'
  const present = hint({ property, operator: 'exists' }, parameters)
  // The text is looked at first, for all rows: where it is needed for some only it is found anew for each use.
  const unread = `multiIf(length(text) > ${mostBytes}, 1, long, 1, text != '' OR nested = '', 0, NOT isValidJSON(nested))`
  return `SELECT ${columns}, if(${unread}, '${UNREAD}', text) AS ${name} FROM (
SELECT ${columns}, long, nested, if(flat, simpleJSONExtractRaw(properties, ${key(property, parameters)}), ${parsedText(property, parameters)('nested')}) AS text FROM (
SELECT ${columns}, properties, flat, known AND length(properties) > ${MAX_PARSED_BYTES} AS long, if(known AND NOT long, properties, '') AS nested FROM (
SELECT ${columns}, properties, flat, NOT flat AND ${present} AS known FROM (
SELECT ${columns}, properties, ${flat} AS flat FROM (${rows})))))`
}

/** SQL of the text of `storedTextSql` as `valueTextSql` has it; empty for `UNREAD` too. */
export function writtenTextSql(text: string): string {
  return `if(${text} IN ('', 'null', '${UNREAD}'), '', JSONExtractRaw(concat('[', ${text}, ']'), 1))`
}

/** SQL of whether a text of `storedTextSql` is that of a value that is missing or null. */
export function isMissingSql(text: string): string {
  return `(${text} IN ('', 'null'))`
}

/** The value's text as the parser finds it in a JSON text. */
function parsedText(property: string, parameters: Parameters): (json: string) => string {
  const whole = key(property, parameters)
  if (!property.includes('.')) return (json) => `JSONExtractRaw(${json}, ${whole})`
  const split = property.split('.').map((part) => key(part, parameters))
  return (json) =>
    `if(JSONExtractRaw(${json}, ${whole}) != '', JSONExtractRaw(${json}, ${whole}), JSONExtractRaw(${json}, ${split.join(', ')}))`
}
