import { seededRandom } from '../../../bench/support/random.js'

/**
 * Kinds of requests. The content of a request follows from the run's seed and the request's number alone. It
 * is made anew to compare stored rows, and never kept.
 */
export type TrafficKind = 'plain' | 'keyed' | 'single' | 'mixed' | 'repeats' | 'reused' | 'linker' | 'alias'

/** A request as the truth remembers it. */
export interface RequestShape {
  readonly id: number
  readonly kind: TrafficKind
  /** When it was made, milliseconds; every attempt sends the same body. */
  readonly madeAt: number
  readonly sentAt: number | undefined
  /**
   * For each event the number behind its insertId. It is equal for a repeated insertId, and -1 without one.
   */
  readonly slots: readonly number[]
}

export interface SentEvent {
  readonly event: string
  readonly userId?: string
  readonly anonymousId?: string
  readonly properties: Readonly<Record<string, unknown>> & { readonly q: number; readonly i: number }
  readonly timestamp?: string
  readonly insertId?: string
  readonly sdkVersion?: string
}

export interface LinkPair {
  readonly anonymousId: string
  readonly userId: string
}

/** Anonymous ids that several users claim: so many at a time, new ones after so many requests. */
const CONTESTED = 24
const CONTESTED_FOR = 150
/** Users who claim one of them. */
const CLAIMANTS = 3
const NOTES = ['', 'plain', 'Größe "42" \\ /', '漢字かな', '😀 astral', 'line\nbreak\ttab', '\u0007 control']
const WEEK_MS = 7 * 86_400_000

export function eventsOf(seed: number, request: RequestShape): SentEvent[] {
  return request.slots.map((slot, index) => eventOf(seed, request, slot, index))
}

export function eventNameOf({ kind, id }: Pick<RequestShape, 'id' | 'kind'>): string {
  return `${kind}.${id % 3}`
}

function eventOf(seed: number, request: RequestShape, slot: number, index: number): SentEvent {
  const random = randomOf(seed, request.id, index)
  const below = (n: number): number => Math.floor(random() * n)
  const pair = linkOf(seed, request, index)
  const person = pair ?? personOf(request, random)
  const at = timeOf(random, request.madeAt)
  return {
    event: eventNameOf(request),
    ...person,
    properties: {
      q: request.id,
      i: index,
      note: NOTES[below(NOTES.length)] ?? '',
      amount: Math.round(random() * 1e6) / 100,
      nested: { list: [below(9), null, random() < 0.5], text: 'x'.repeat(below(60)) },
    },
    ...(at === undefined ? {} : { timestamp: new Date(at).toISOString() }),
    ...(slot < 0 ? {} : { insertId: insertIdOf(slot) }),
    ...(random() < 0.3 ? { sdkVersion: `chaos/${below(4)}` } : {}),
  }
}

/** A user, a visitor, or one of the anonymous ids that several users claim around that time. */
function personOf({ id }: RequestShape, random: () => number): { userId: string } | { anonymousId: string } {
  const below = (n: number): number => Math.floor(random() * n)
  const kind = random()
  if (kind < 0.7) return { userId: `user-${below(5_000)}` }
  if (kind < 0.85) return { anonymousId: `visitor-${below(5_000)}` }
  return { anonymousId: contestedId(Math.floor(id / CONTESTED_FOR), below(CONTESTED)) }
}

/** Face value, absent, and beyond either boundary of the clamp. */
function timeOf(random: () => number, madeAt: number): number | undefined {
  const kind = random()
  if (kind < 0.4) return undefined
  if (kind < 0.9) return madeAt - Math.floor(random() * 3_600_000)
  return kind < 0.95 ? madeAt - WEEK_MS - 60_000 - Math.floor(random() * 1e9) : madeAt + 7_200_000
}

/** The pair by which an event links, or which an alias call sends; undefined for events of one id. */
export function linkOf(
  seed: number,
  request: Pick<RequestShape, 'id' | 'kind'>,
  index: number,
): LinkPair | undefined {
  const random = randomOf(seed ^ 0x5bd1e995, request.id, index)
  const share = request.kind === 'alias' ? 1 : request.kind === 'linker' ? 0.7 : 0.1
  if (random() >= share) return undefined
  // Most of an alias's pairs are contested, so that both ways of linking meet.
  if (random() < (request.kind === 'alias' ? 0.8 : 0.3)) {
    const block = Math.floor(request.id / CONTESTED_FOR)
    const number = Math.floor(random() * CONTESTED)
    // Each user has some of them.
    const claimant = (number + Math.floor(random() * CLAIMANTS)) % CONTESTED
    return { anonymousId: contestedId(block, number), userId: `claimant-${block}-${claimant}` }
  }
  return { anonymousId: `anonymous-${request.id}-${index}`, userId: `owner-${request.id}-${index % 5}` }
}

function contestedId(block: number, number: number): string {
  return `contested-${block}-${number}`
}

export function insertIdOf(slot: number): string {
  return `chaos ${slot}`
}

export function bodyOf(seed: number, request: RequestShape): string {
  if (request.kind === 'alias') return JSON.stringify(linkOf(seed, request, 0))
  return JSON.stringify({
    events: eventsOf(seed, request),
    ...(request.sentAt === undefined ? {} : { sentAt: new Date(request.sentAt).toISOString() }),
  })
}

function randomOf(seed: number, request: number, index: number): () => number {
  return seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(request + 1, 0x85ebca6b) ^ (index * 7_919))
}
