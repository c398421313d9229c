/** Of a request that measures an experiment anew. */
export const RESULTS_DEADLINE_MS = 35_000
/** Of each of its queries. */
export const RESULTS_LIMITS = {
  maxSeconds: 30,
  maxMemoryBytes: 1_073_741_824,
  maxRows: 1_000_000_000,
  maxThreads: 2,
}
