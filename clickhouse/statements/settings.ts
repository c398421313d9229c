import type { SettingValue } from '../port.js'

/** Limits of a query that sets none. */
export const QUERY_SETTINGS: Readonly<Record<string, SettingValue>> = {
  max_execution_time: 30,
  max_memory_usage: 1_073_741_824,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
}

/** Settings that a user's profile must not change: a truncated answer would pass for all stored ids. */
export const SERVER_QUERY_SETTINGS: Readonly<Record<string, SettingValue>> = {
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  // A person without a link would have no key.
  join_use_nulls: 0,
  // Filters of a funnel are written out, some of them several times.
  max_query_size: 67_108_864,
  max_result_rows: 0,
  max_result_bytes: 0,
  use_query_cache: 0,
  // Replicas may hold different parts.
  max_parallel_replicas: 1,
  // A query whose client has gone ends by itself, on any replica.
  cancel_http_readonly_queries_on_client_close: 1,
}
