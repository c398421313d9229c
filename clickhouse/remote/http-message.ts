import { parameterText, quote } from '../literal.js'
import { ClickHouseError, type QueryOptions, type SettingValue } from '../port.js'
import { QUERY_SETTINGS, SERVER_QUERY_SETTINGS } from '../statements/settings.js'

/** The parts of every response of the client. */
export interface ResponseSource {
  readonly response_headers: Readonly<Record<string, unknown>>
}

/** Rejects an answer without ClickHouse's mark: a proxy's page must never count as a stored block. */
export function assertFromClickHouse(result: ResponseSource): void {
  if (result.response_headers['x-clickhouse-query-id'] === undefined)
    throw new ClickHouseError('unavailable', 'what answers there is not ClickHouse')
}

/** The server's name for itself; defaults to its host name. */
export function serverOf(result: ResponseSource): string {
  return String(result.response_headers['x-clickhouse-server-display-name'] ?? '')
}

/** Longer lists go into the statement: bound values travel in the URL, of which proxies accept 8 KiB. */
const BOUND_TEXT = 4_096

/** A query for the client. Values are bound, except long lists of numbers, which are harmless in the text. */
export function queryRequest(sql: string, options: QueryOptions) {
  const query_params: Record<string, unknown> = {}
  const long = new Map<string, string>()
  for (const [name, value] of Object.entries(options.params ?? {})) {
    const text = isNumbers(value) ? parameterText(value) : ''
    if (text.length > BOUND_TEXT) long.set(name, text)
    else query_params[name] = value
  }
  const clickhouse_settings = settingTexts({
    ...QUERY_SETTINGS,
    ...SERVER_QUERY_SETTINGS,
    ...options.settings,
  })
  if (long.size === 0) return { query: sql, query_params, clickhouse_settings }
  const query = sql.replace(/\{(\w+):([^{}]+)\}/g, (placeholder, name: string, type: string) => {
    const text = long.get(name)
    return text === undefined ? placeholder : `CAST(${quote(text)}, ${quote(type)})`
  })
  return { query, query_params, clickhouse_settings }
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
