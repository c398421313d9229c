import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves after so many milliseconds, or as soon as the signal aborts.
 *
 * @param options.ref whether the wait keeps the process alive @default true
 */
export async function pause(
  milliseconds: number,
  signal: AbortSignal,
  options: { readonly ref?: boolean } = {},
): Promise<void> {
  // Rejects only when the signal aborts.
  await sleep(milliseconds, undefined, { ...options, signal }).catch(() => {})
}
