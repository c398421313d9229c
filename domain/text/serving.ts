/** Until a change is on every gateway. */
const SHOWN_WITHIN_MS = 2_000
/** Until newly loaded pages follow a change. */
const REACHES_PAGES_WITHIN_MS = 10_000
/** Relays trust their last answer for so long. */
const TRUST_MS = 3_600_000

/** Fields of an experiment's detail. Times are ISO 8601. */
interface Served {
  readonly status: string
  readonly serving: { readonly state: boolean | string; readonly lastAskedAt: string | null }
  readonly variants: readonly { readonly key: string; readonly displayName: string }[]
  readonly startedAt: string | null
  readonly updatedAt: string
}

/** The variant or variants that visitors see of an experiment. */
export function servedText({ status, serving, variants }: Served): string {
  if (serving.state === true) return 'their variant'
  const winner = variants.find(({ key }) => key === serving.state)
  if (winner !== undefined) return `${winner.displayName}, for everyone`
  // Its cleanup was merged long ago.
  return status === 'shipped' ? 'the winner, as ordinary code' : 'the control'
}

/**
 * Whether the pages of a site can know what is served since the last change.
 * - `silent`: no relay has asked in the last hour, so pages show the control.
 * - `soon`: relays may not have asked yet.
 * - `late`: a relay has not asked since. Its pages may show what was served before `until`.
 * - `known`: every relay has asked since.
 */
export type Reach =
  | { readonly kind: 'silent' }
  | { readonly kind: 'soon' }
  | { readonly kind: 'late'; readonly lastAskedAt: string; readonly until: string }
  | { readonly kind: 'known' }

/**
 * Undefined if it does not matter: before the start, and once the code alone decides.
 *
 * @param now milliseconds since the epoch
 */
export function reachOf({ status, serving, startedAt, updatedAt }: Served, now: number): Reach | undefined {
  const isOpen = ['running', 'paused', 'ended', 'settling'].includes(status)
  if (startedAt === null || (!isOpen && serving.state === false)) return undefined
  const { lastAskedAt } = serving
  if (lastAskedAt === null) return { kind: 'silent' }
  const askedAt = Date.parse(lastAskedAt)
  const changedAt = Date.parse(updatedAt)
  if (askedAt >= changedAt + SHOWN_WITHIN_MS) return { kind: 'known' }
  if (now < changedAt + REACHES_PAGES_WITHIN_MS) return { kind: 'soon' }
  return { kind: 'late', lastAskedAt, until: new Date(askedAt + TRUST_MS).toISOString() }
}
