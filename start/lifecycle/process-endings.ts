/** The signals that ask a program to drain and end; a terminal that closes sends the last. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Keeps the process alive if the reader of its output goes away: without a listener, the failed write would
 * end it before its stores are closed.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
