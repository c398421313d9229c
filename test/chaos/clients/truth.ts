import { MachineClock } from './machine-clock.js'
import { eventNameOf, type RequestShape, type TrafficKind } from './traffic.js'

/**
 * Outcome of one sending: `accepted` and `refused` are certain. It is `ambiguous` if the connection or the
 * time limit ended without an answer.
 */
export type Outcome = 'accepted' | 'refused' | 'ambiguous'

export interface Attempt {
  readonly startedAt: number
  /** Infinity if it is unknown when, or whether, it was carried out. */
  endedAt: number
  outcome: Outcome
  /** The answer to an alias call. */
  link?: LinkAnswer
}

export type LinkAnswer = 'linked' | 'already-linked' | 'conflict'

export interface SentRequest extends RequestShape {
  readonly attempts: Attempt[]
}

/** A request that sent an insertId, and the index of its event. */
export interface Place {
  readonly request: number
  readonly index: number
}

/** Everything that the clients sent, and the answers. Times of attempts in milliseconds of the real clock. */
export class Truth {
  readonly requests: SentRequest[] = []
  /** The places of each insertId that was sent at more than one, in the order of the requests. */
  readonly shared = new Map<number, Place[]>()
  /** Events in accepted requests. */
  acknowledged = 0
  /** By slot, the place of its first sending. */
  private readonly first: Place[] = []
  private slots = 0
  private readonly keyed: number[] = []

  constructor(
    readonly seed: number,
    readonly clock = new MachineClock(),
  ) {}

  /** Of all that was sent. */
  eventNames(): Set<string> {
    return new Set(
      this.requests.filter(({ kind }) => kind !== 'alias').map((request) => eventNameOf(request)),
    )
  }

  newSlot(): number {
    return this.slots++
  }

  /** `slots` as in RequestShape. */
  add(
    kind: TrafficKind,
    slots: readonly number[],
    madeAt: number,
    sentAt: number | undefined = undefined,
  ): SentRequest {
    const request: SentRequest = { id: this.requests.length, kind, madeAt, sentAt, slots, attempts: [] }
    this.requests.push(request)
    slots.forEach((slot, index) => {
      if (slot < 0) return
      const place = { request: request.id, index }
      const first = this.first[slot]
      if (first === undefined) this.first[slot] = place
      else this.shared.set(slot, [...(this.shared.get(slot) ?? [first]), place])
    })
    if (slots.some((slot) => slot >= 0)) this.keyed.push(request.id)
    return request
  }

  begin(request: SentRequest, now: number): Attempt {
    const attempt: Attempt = { startedAt: now, endedAt: Number.POSITIVE_INFINITY, outcome: 'ambiguous' }
    request.attempts.push(attempt)
    return attempt
  }

  settle(request: SentRequest, attempt: Attempt, outcome: Outcome, now: number): void {
    attempt.outcome = outcome
    if (outcome !== 'ambiguous') attempt.endedAt = now
    if (outcome === 'accepted' && request.kind !== 'alias') this.acknowledged += request.slots.length
  }

  /**
   * An insertId that was sent before, at most so many requests with insertIds ago; undefined if there is
   * none.
   */
  earlierSlot(random: () => number, requestsAgo: number): number | undefined {
    const at = this.keyed.length - 1 - Math.floor(random() * Math.min(requestsAgo, this.keyed.length))
    const slots = this.requests[this.keyed[at] ?? -1]?.slots ?? []
    const slot = slots[Math.floor(random() * slots.length)]
    return slot === undefined || slot < 0 ? undefined : slot
  }
}

export function wasAccepted(request: SentRequest): boolean {
  return request.attempts.some(({ outcome }) => outcome === 'accepted')
}

/** Whether any attempt may have been carried out. */
export function mayBeStored(request: SentRequest): boolean {
  return request.attempts.some(({ outcome }) => outcome !== 'refused')
}
