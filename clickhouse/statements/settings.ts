import type { SettingValue } from '../port.js'

/** What bounds a query that sets no bounds of its own. */
export const QUERY_SETTINGS: Readonly<Record<string, SettingValue>> = {
  max_execution_time: 30,
  max_memory_usage: 1_073_741_824,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
}

/**
 * What the profile of a server's user must not decide: whether an answer is whole, and where it comes from. An answer that was cut short would pass for all
 * the ids that are stored.
 */
export const SERVER_QUERY_SETTINGS: Readonly<Record<string, SettingValue>> = {
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  max_result_rows: 0,
  max_result_bytes: 0,
  use_query_cache: 0,
  // One replica's share of the parts is not what another one has.
  max_parallel_replicas: 1,
  // A query whose asker has gone ends by itself, on whatever replica it runs.
  cancel_http_readonly_queries_on_client_close: 1,
}
