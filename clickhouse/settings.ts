import type { SettingValue } from './port.js'

/** What bounds a query that sets no bounds of its own. */
export const QUERY_SETTINGS: Readonly<Record<string, SettingValue>> = {
  max_execution_time: 30,
  max_memory_usage: 1_073_741_824,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
}
