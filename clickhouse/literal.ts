/** A value as it stands inside an array, map or tuple of SQL: strings quoted, 64-bit integers exact. */
function nested(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be bound`)
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw new RangeError(`${value} has lost digits: bind a bigint`)
      return String(value)
    case 'bigint':
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    default:
      if (value === null || value === undefined) return 'NULL'
      if (Array.isArray(value)) return `[${value.map(nested).join(',')}]`
      if (value instanceof Uint8Array || value instanceof Date)
        throw new TypeError(`a ${value.constructor.name} cannot be bound: give a number or a string`)
      if (value instanceof Map)
        return `{${[...value].map(([key, item]) => `${nested(key)}:${nested(item)}`).join(',')}}`
      throw new TypeError(`a ${typeof value} cannot be bound`)
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here
  return text.replace(/[\\'\0\x08\f\n\r\t]/g, (character) => ESCAPES[character] ?? character)
}

/** A string as an SQL literal. */
export function quote(text: string): string {
  return `'${escaped(text)}'`
}

/**
 * The text in which ClickHouse expects the value of a `{name:Type}` placeholder: at the top a string is bare,
 * with backslash escapes as in its tab-separated format; null is `\N`; whatever is nested is written as in
 * SQL.
 */
export function parameterText(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'string' ? escaped(value) : nested(value)
}

/** A setting as it stands behind SETTINGS. */
export function settingText(name: string, value: string | number | boolean): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a setting`)
  if (typeof value === 'boolean') return `${name}=${value ? 1 : 0}`
  return `${name}=${typeof value === 'number' ? value : quote(value)}`
}

/** The names of the `{name:Type}` placeholders of a statement. */
export function placeholders(sql: string): Set<string> {
  return new Set([...sql.matchAll(/\{([A-Za-z_]\w*):/g)].map((match) => match[1] ?? ''))
}

export function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}
