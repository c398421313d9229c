import { linkOf } from '../clients/traffic.js'
import { mayBeStored, type Place, type SentRequest, type Truth, wasAccepted } from '../clients/truth.js'
import type { StoredLink, StoredLinkKeys } from '../systems/system.js'

export interface LinkComparison {
  readonly truth: Truth
  /** Whether the event at a place is in the table. */
  readonly isStored: (place: Place) => boolean
  readonly inDatabase: readonly StoredLink[]
  /** By shard: each has all of them. */
  readonly inStore: readonly (readonly StoredLinkKeys[])[]
  readonly find: (kind: 'links' | 'torn', text: string) => void
}

/** One attempt of somebody to link an anonymous id. */
interface Claim {
  readonly userId: string
  readonly request: SentRequest
  /** It came into the order of links between these times. */
  readonly from: number
  readonly to: number
  /** It was carried out, be it without effect. */
  readonly isCertain: boolean
  /** Its event is stored though the request was never acknowledged. */
  readonly isSeenOnly: boolean
}

/**
 * The first claim of an anonymous id decides. A claim is known to be first if it was acknowledged before the
 * others were sent; among claims that overlap any may be first. The answer to an alias call must stay true.
 */
export function compareLinks(comparison: LinkComparison): void {
  const { inDatabase, find } = comparison
  const claims = claimsOf(comparison)
  const linked = new Map(inDatabase.map((link) => [link.anonymousId, link.userId]))
  for (const [anonymousId, all] of claims) {
    const userId = linked.get(anonymousId)
    if (userId === undefined) {
      const certain = all.find(({ isCertain }) => isCertain)
      if (certain === undefined) continue
      const text = `no link of ${anonymousId}, which ${nameOf(certain)} claims for ${certain.userId}`
      find(all.every(({ isCertain, isSeenOnly }) => !isCertain || isSeenOnly) ? 'torn' : 'links', text)
      continue
    }
    const couldBeFirst = (claim: Claim): boolean =>
      !all.some((other) => other.isCertain && other.userId !== userId && other.to < claim.from)
    if (!all.some((claim) => claim.userId === userId && couldBeFirst(claim)))
      find('links', `${anonymousId} is linked to ${userId}, whose claim was not the first`)
  }
  for (const { anonymousId, userId } of inDatabase)
    if (!claims.has(anonymousId)) find('links', `no request linked ${anonymousId} to ${userId}`)
  compareAnswers(comparison, linked)
  for (const inStore of comparison.inStore) compareStores(inStore, comparison)
}

function claimsOf({ truth, isStored }: LinkComparison): Map<string, Claim[]> {
  const claims = new Map<string, Claim[]>()
  for (const request of truth.requests) {
    if (!mayBeStored(request) || wasRefused(request)) continue
    const from = Math.min(
      ...request.attempts.filter(({ outcome }) => outcome !== 'refused').map(({ startedAt }) => startedAt),
    )
    const accepted = wasAccepted(request)
    const to = Math.min(
      ...request.attempts.map(({ outcome, endedAt }) =>
        outcome === 'accepted' ? endedAt : Number.POSITIVE_INFINITY,
      ),
    )
    const own = new Set<string>()
    for (let index = 0; index < request.slots.length; index++) {
      const pair = linkOf(truth.seed, request, index)
      // Of one request only its first claim counts.
      if (pair === undefined || own.has(pair.anonymousId)) continue
      own.add(pair.anonymousId)
      const stored = request.kind !== 'alias' && isStored({ request: request.id, index })
      const claim: Claim = {
        userId: pair.userId,
        request,
        from,
        to,
        isCertain: accepted || stored,
        isSeenOnly: stored && !accepted,
      }
      const others = claims.get(pair.anonymousId)
      if (others === undefined) claims.set(pair.anonymousId, [claim])
      else others.push(claim)
    }
  }
  return claims
}

/** An alias call that met another user's link changed nothing, in none of its attempts. */
function wasRefused(request: SentRequest): boolean {
  return request.attempts.some(({ link }) => link === 'conflict')
}

function compareAnswers({ truth, find }: LinkComparison, linked: ReadonlyMap<string, string>): void {
  for (const request of truth.requests) {
    if (request.kind !== 'alias') continue
    const pair = linkOf(truth.seed, request, 0)
    const told = request.attempts.find(({ link }) => link !== undefined)?.link
    if (pair === undefined || told === undefined) continue
    const isTheirs = linked.get(pair.anonymousId) === pair.userId
    if (isTheirs !== (told !== 'conflict'))
      find(
        'links',
        `${nameOf({ request })} was told "${told}" for ${pair.userId}, and ${pair.anonymousId} is linked to ${linked.get(pair.anonymousId)}`,
      )
  }
}

/** The database decides; the event store has the same links by now. */
function compareStores(inStore: readonly StoredLinkKeys[], { inDatabase, find }: LinkComparison): void {
  const stored = new Map<string, string>()
  for (const { anonymousKey, userKey } of inStore) {
    const other = stored.get(anonymousKey)
    if (other !== undefined) find('links', `two links of key ${anonymousKey} in the event store`)
    stored.set(anonymousKey, userKey)
  }
  for (const { anonymousId, anonymousKey, userKey } of inDatabase) {
    const there = stored.get(anonymousKey)
    if (there !== userKey)
      find(
        'links',
        `the link of ${anonymousId} is ${there === undefined ? 'missing' : 'another'} in the event store`,
      )
    stored.delete(anonymousKey)
  }
  for (const key of stored.keys()) find('links', `the link of key ${key} is in the event store only`)
}

function nameOf({ request }: { readonly request: SentRequest }): string {
  return `request ${request.id} (${request.kind})`
}
