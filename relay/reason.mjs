/** @param {unknown} error of `fetch`, whose cause says more than its message */
export function reasonOf(error) {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
