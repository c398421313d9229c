import type { Parameters } from './parameters.js'
import { hint, isFindable, JSON_TEXT, key, numberSql, REPAIRED } from './property-filter.js'

/**
 * `rows` with a column of the JSON text of the value at a path, as the engine writes it; empty if it is
 * missing or null. Equal values have equal texts, except objects, which keep the order of their keys. In
 * layers, because an expression is planned at each use.
 */
export function valueTextSql(
  rows: string,
  columns: string,
  name: string,
  property: string,
  parameters: Parameters,
): string {
  const whole = key(property, parameters)
  const present = hint({ property, operator: 'exists' }, parameters)
  const [stored, isExact] = isFindable(property)
    ? [`simpleJSONExtractRaw(properties, ${whole})`, `${NOT_FLAT} + ${NOT_WRITTEN} = 0`]
    : ["''", '0']
  // An expression that is used once in a branch of `if` is computed for the rows of this branch alone.
  const read = `SELECT ${columns}, properties, if(${isExact}, stored, if(${present}, JSONExtractRaw(properties, ${whole}), '')) AS found FROM (
SELECT ${columns}, properties, ${stored} AS stored FROM (${rows}))`
  const split = property.split('.').map((part) => key(part, parameters))
  const found = property.includes('.')
    ? `SELECT ${columns}, properties, if(found != '' OR NOT ${present}, found, JSONExtractRaw(properties, ${split.join(', ')})) AS found FROM (${read})`
    : read
  // The key is there and nothing was found: the parser may have rejected the text, so repair it.
  const isRejected = `found = '' AND ${present} AND NOT isValidJSON(properties)`
  const repaired = `replaceRegexpOne(${parsedText(property, parameters)(REPAIRED)}, '^null$', '')`
  return `SELECT ${columns}, multiIf(found = 'null', '', ${isRejected}, ${repaired}, found) AS ${name} FROM (${found})`
}

/** Marks a value that was not read. */
const UNREAD = '?'
/** Longer properties with objects, lists or escapes are not parsed per event: it could cost too much. */
const MAX_PARSED_BYTES = 200

/**
 * SQL of a number that is 0 if properties are flat: no object, list or escape. Then a quoted key occurs once,
 * and its value ends at the next comma or brace outside of quotes. A sum, because AND takes twice the time.
 */
const NOT_FLAT = String.raw`position(properties, ':{') + position(properties, '[') + position(properties, '\\')`
const FLAT = `${NOT_FLAT} = 0`

/**
 * SQL of a number that is 0 if the parser writes a flat value `stored` as it is stored. It has another form
 * for some numbers, and for two separators of lines (U+2028, U+2029) in strings.
 */
const NOT_WRITTEN = String.raw`position(stored, '\xe2\x80') + if(startsWith(stored, '"'), 0, NOT match(stored, '^(-?[0-9]{1,15}([.][0-9]{1,3})?|true|false|)$'))`

/**
 * Properties as numbers: the columns that rows with `properties` need, and the SQL of each number. A fifth of
 * the cost of parsing if properties are flat. Exact with `precise_float_parsing`.
 * @param parsed whether every row needs `json` for something else
 * @param otherwise of a property that is missing or not a number
 */
export function numbersSql(
  properties: readonly string[],
  parsed: boolean,
  parameters: Parameters,
  otherwise: '0' | 'NULL' = '0',
): { readonly columns: readonly string[]; readonly numberSql: (property: string) => string } {
  const found = properties.some(isFindable)
  const toFloat = otherwise === '0' ? 'toFloat64OrZero' : 'toFloat64OrNull'
  const columns = [
    ...(found ? [`${FLAT} AS flat`] : []),
    parsed || !properties.every(isFindable) ? `${JSON_TEXT} AS json` : `if(flat, '', ${JSON_TEXT}) AS json`,
  ]
  return {
    columns: parsed || properties.length > 0 ? columns : [],
    numberSql: (property) =>
      isFindable(property)
        ? `if(flat, ${toFloat}(simpleJSONExtractRaw(properties, ${key(property, parameters)})), ${numberSql(property, otherwise, parameters)})`
        : numberSql(property, otherwise, parameters),
  }
}

/**
 * `valueTextSql` at a quarter of the cost for flat properties: texts as stored or as the parser writes them,
 * null included. `UNREAD` if long properties needed parsing, if they are rejected, and above `mostBytes`.
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
  // The text is computed first, for all rows; otherwise each use would compute it again.
  const unread = `multiIf(length(text) > ${mostBytes}, 1, long, 1, text != '' OR nested = '', 0, NOT isValidJSON(nested))`
  return `SELECT ${columns}, if(${unread}, '${UNREAD}', text) AS ${name} FROM (
SELECT ${columns}, long, nested, if(flat, simpleJSONExtractRaw(properties, ${key(property, parameters)}), ${parsedText(property, parameters)('nested')}) AS text FROM (
SELECT ${columns}, properties, flat, known AND length(properties) > ${MAX_PARSED_BYTES} AS long, if(known AND NOT long, properties, '') AS nested FROM (
SELECT ${columns}, properties, flat, NOT flat AND ${present} AS known FROM (
SELECT ${columns}, properties, ${flat} AS flat FROM (${rows})))))`
}

/** SQL that turns the text of `storedTextSql` into that of `valueTextSql`; empty for `UNREAD`. */
export function writtenTextSql(text: string): string {
  return `if(${text} IN ('', 'null', '${UNREAD}'), '', JSONExtractRaw(concat('[', ${text}, ']'), 1))`
}

/** SQL of whether a text of `storedTextSql` means a missing or null value. */
export function isMissingSql(text: string): string {
  return `(${text} IN ('', 'null'))`
}

/** The value's text as the parser finds it in JSON text. */
function parsedText(property: string, parameters: Parameters): (json: string) => string {
  const whole = key(property, parameters)
  if (!property.includes('.')) return (json) => `JSONExtractRaw(${json}, ${whole})`
  const split = property.split('.').map((part) => key(part, parameters))
  return (json) =>
    `if(JSONExtractRaw(${json}, ${whole}) != '', JSONExtractRaw(${json}, ${whole}), JSONExtractRaw(${json}, ${split.join(', ')}))`
}
