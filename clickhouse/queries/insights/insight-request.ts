import type { SettingValue } from '../../port.js'
import { DEFAULT_BOUNDS, type FunnelBounds } from '../funnel/index.js'

/** A query of trends or of retention. */
export interface InsightRequest<Query> {
  readonly workspaceId: string
  readonly query: Query
  /** Milliseconds; decides which buckets are complete and which periods are over. */
  readonly now: number
  readonly limits?: FunnelBounds | undefined
  readonly signal?: AbortSignal | undefined
}

export function insightSettings(bounds: FunnelBounds = DEFAULT_BOUNDS): Record<string, SettingValue> {
  return {
    max_execution_time: bounds.maxSeconds,
    max_memory_usage: bounds.maxMemoryBytes,
    max_rows_to_read: bounds.maxRows,
    max_threads: bounds.maxThreads,
    precise_float_parsing: 1,
    // The persons' first starts are the side of the join that is kept in memory.
    query_plan_join_swap_table: 'false',
    // Costs a fifth of planning, and our conditions have no chains of comparisons.
    optimize_and_compare_chain: 0,
  }
}
