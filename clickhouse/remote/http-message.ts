import { ClickHouseError, type QueryOptions, type SettingValue } from '../port.js'
import { parameterText, quote } from '../statements/literal.js'
import { QUERY_SETTINGS, SERVER_QUERY_SETTINGS } from '../statements/settings.js'

/** What every answer of the client has. */
export interface ResponseSource {
  readonly response_headers: Readonly<Record<string, unknown>>
}

/**
 * An answer without ClickHouse's mark comes from something in between, the page of a gateway for example. Taken for ClickHouse's it would mean that a block is
 * stored.
 */
export function assertFromClickHouse(result: ResponseSource): void {
  if (result.response_headers['x-clickhouse-query-id'] === undefined)
    throw new ClickHouseError('unavailable', 'what answers there is not ClickHouse')
}

/** The name a server calls itself, by default that of its machine. */
export function serverOf(result: ResponseSource): string {
  return String(result.response_headers['x-clickhouse-server-display-name'] ?? '')
}

/** Longer lists stand in the statement. Values that are bound travel in the address, of which what stands in between, a proxy or a balancer, often takes no more than 8 KiB. */
const BOUND_TEXT = 4_096
const LONGEST_STATEMENT = 67_108_864

/**
 * A query as the client takes it. Values are bound, but for long lists of numbers, which are no danger in the text: there they are read in the same way as a value
 * that is bound, out of a string.
 */
export function queryRequest(sql: string, options: QueryOptions) {
  const query_params: Record<string, unknown> = {}
  const long = new Map<string, string>()
  for (const [name, value] of Object.entries(options.params ?? {})) {
    const text = isNumbers(value) ? parameterText(value) : ''
    if (text.length > BOUND_TEXT) long.set(name, text)
    else query_params[name] = value
  }
  const settings = { ...QUERY_SETTINGS, ...SERVER_QUERY_SETTINGS, ...options.settings }
  if (long.size === 0) return { query: sql, query_params, clickhouse_settings: settingTexts(settings) }
  const query = sql.replace(/\{(\w+):([^{}]+)\}/g, (placeholder, name: string, type: string) => {
    const text = long.get(name)
    return text === undefined ? placeholder : `CAST(${quote(text)}, ${quote(type)})`
  })
  return {
    query,
    query_params,
    clickhouse_settings: settingTexts({ ...settings, max_query_size: LONGEST_STATEMENT }),
  }
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'bigint' || typeof item === 'number')
}

export function settingTexts(settings: Readonly<Record<string, SettingValue>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? (value ? '1' : '0') : String(value),
    ]),
  )
}

export function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}
