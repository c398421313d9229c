import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks again and again until the condition holds. The limit is generous, because a machine may be slow.
 * @throws Error with the source of the condition if it does not hold within the limit
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { limitMs = 150_000, pollMs = 10 }: { limitMs?: number; pollMs?: number } = {},
): Promise<void> {
  for (const end = performance.now() + limitMs; !(await condition()); await sleep(pollMs))
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${condition}`)
}
