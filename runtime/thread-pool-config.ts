/** libuv's default. */
const DEFAULT_THREADS = 4
/** Writes of the stores, files and host names need threads too. */
const THREADS_FOR_OTHERS = 4
const MIN_QUERY_THREADS = 2

/**
 * How many queries of an embedded engine may each keep a thread of libuv's pool busy. Only the environment
 * that a process starts with counts, because loading the first module starts the pool. The npm scripts set 16
 * threads, so that quick queries do not wait for slow ones.
 */
export function queryThreads(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || DEFAULT_THREADS
  return Math.max(MIN_QUERY_THREADS, threads - THREADS_FOR_OTHERS)
}
