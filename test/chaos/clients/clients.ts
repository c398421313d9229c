import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../../bench/support/random.js'
import { ContractError, Loops } from './loops.js'
import { bodyOf, type TrafficKind } from './traffic.js'
import type { LinkAnswer, Outcome, SentRequest, Truth } from './truth.js'
import { type Answer, type Encoding, post } from './wire.js'

/** Addresses to send to, `undefined` while the service is down. */
export interface Target {
  readonly ingest: string | undefined
  /** The management API. */
  readonly api: string | undefined
  readonly apiKey: string
  readonly workspaceId: string
  readonly serverKey: string
}

export interface ClientRole {
  readonly kind: TrafficKind
  readonly encoding?: Encoding
  /** Events of a request, at most. */
  readonly most: number
  /** Gives up waiting early, so that slowness alone makes outcomes ambiguous. */
  readonly timeoutMs?: number
}

/** The usual company: every way of sending, at the same time. */
export const ROLES: readonly ClientRole[] = [
  { kind: 'plain', most: 60 },
  { kind: 'plain', most: 12, encoding: 'gzip', timeoutMs: 900 },
  { kind: 'keyed', most: 80, encoding: 'br' },
  { kind: 'keyed', most: 30 },
  { kind: 'keyed', most: 8, timeoutMs: 500 },
  { kind: 'single', most: 1 },
  { kind: 'single', most: 1, encoding: 'deflate' },
  { kind: 'mixed', most: 40 },
  { kind: 'repeats', most: 40 },
  { kind: 'repeats', most: 15 },
  { kind: 'reused', most: 25 },
  { kind: 'linker', most: 20 },
  { kind: 'alias', most: 1 },
]

/** The same with larger requests: where stages are apart, a request costs more than its events. */
export const LARGE_ROLES: readonly ClientRole[] = ROLES.map((role) => ({
  ...role,
  most: role.most === 1 ? 1 : Math.min(500, role.most * 5),
}))

/** The gateway answers or closes within five seconds. */
const HUNG_MS = 8_000
const PAUSE_MS = 30
/** How long after a fault it may be noticed here. */
const NOTICED_MS = 25
const RETRY_MS = 60
/** How far back insertIds are sent again, in requests. */
const NEAR = 30
const FAR = 100_000

/**
 * Clients that each send one request at a time and know what became of it. With insertIds on every event (and
 * alias calls, which are idempotent) they send again until they are accepted; else only after a definite
 * refusal.
 */
export class Clients {
  /** Requests under way. */
  inFlight = 0
  /** The newest requests that ended without an answer, as their beginning and end. */
  private broken: (readonly [number, number])[] = []
  private readonly outcomes = { accepted: 0, refused: 0, ambiguous: 0 }
  private slowestMs = 0
  /** Of requests that are not settled yet, what came of the last attempt. */
  private readonly last = new Map<number, string>()
  readonly loops = new Loops(() => [...this.last.values()].join('; '))

  constructor(
    private readonly truth: Truth,
    private readonly target: (client: number) => Target,
    roles: readonly ClientRole[] = ROLES,
    /** Between two requests of a client, at most. */
    pauseMs = PAUSE_MS,
  ) {
    roles.forEach((role, number) => {
      const random = seededRandom(truth.seed * 101 + number)
      this.loops.add(async () => {
        await this.carryOut(number, role, this.make(role, random), random)
        await sleep(random() * pauseMs)
      })
    })
  }

  /** Requests in progress at a moment, and those that broke shortly before it, as the service ended. */
  inFlightAt(moment: number): number {
    const broken = this.broken.filter(([from, to]) => from <= moment && to >= moment - NOTICED_MS)
    return this.inFlight + broken.length
  }

  /** How many requests came to what, for the log of a run. */
  summary(): string {
    const { accepted, refused, ambiguous } = this.outcomes
    return `${accepted} accepted in up to ${this.slowestMs} ms, ${refused} refused, ${ambiguous} without`
  }

  private make(role: ClientRole, random: () => number): SentRequest {
    const { truth } = this
    const { kind } = role
    const now = truth.clock.now()
    const size = 1 + Math.floor(random() ** 2 * role.most)
    const slots: number[] = []
    const single = random() < 0.5
    for (let index = 0; index < size; index++) slots.push(this.slotOf(kind, index, single, slots, random))
    const skewed = random()
    // Some clocks are seconds off, some minutes.
    const sentAt =
      skewed < 0.4 ? undefined : skewed < 0.8 ? now : now + Math.round((random() - 0.5) * 600_000)
    return truth.add(kind, slots, now, sentAt)
  }

  private slotOf(
    kind: TrafficKind,
    index: number,
    single: boolean,
    slots: readonly number[],
    random: () => number,
  ): number {
    const { truth } = this
    if (kind === 'plain' || kind === 'alias') return -1
    if (kind === 'single') return single ? truth.newSlot() : -1
    if (kind === 'mixed' && index % 2 === 0) return -1
    if (kind === 'repeats' && random() < 0.6)
      return truth.earlierSlot(random, random() < 0.8 ? NEAR : FAR) ?? truth.newSlot()
    if (kind === 'reused' && index > 0 && random() < 0.4)
      return slots[Math.floor(random() * index)] ?? truth.newSlot()
    return truth.newSlot()
  }

  private async carryOut(
    client: number,
    role: ClientRole,
    request: SentRequest,
    random: () => number,
  ): Promise<void> {
    const body = bodyOf(this.truth.seed, request)
    const path = request.kind === 'alias' ? '/v1/alias' : '/v1/events'
    const mayRepeat = request.kind === 'alias' || request.slots.every((slot) => slot >= 0)
    for (;;) {
      const { ingest, serverKey } = this.target(client)
      if (ingest === undefined) {
        if (this.loops.isOver) return
        await sleep(10)
        continue
      }
      const attempt = this.truth.begin(request, Date.now())
      this.inFlight++
      const answer = await post(`${ingest}${path}`, serverKey, body, {
        encoding: role.encoding,
        timeoutMs: role.timeoutMs ?? HUNG_MS,
      })
      this.inFlight--
      const now = Date.now()
      if (answer.kind === 'broken') this.broken = [...this.broken.slice(-99), [attempt.startedAt, now]]
      const { outcome, link } = judge(request, answer)
      if (outcome === 'accepted' || !mayRepeat) this.last.delete(request.id)
      else this.last.set(request.id, `${request.kind} ${request.id}: ${JSON.stringify(answer)}`)
      if (link !== undefined) attempt.link = link
      this.truth.settle(request, attempt, outcome, now)
      this.outcomes[outcome]++
      if (outcome === 'accepted') this.slowestMs = Math.max(this.slowestMs, now - attempt.startedAt)
      if (outcome === 'accepted' || this.loops.isOver) return
      if (outcome === 'ambiguous' && !mayRepeat) return
      await sleep(RETRY_MS * (0.5 + random()))
    }
  }
}

/**
 * The outcome that an answer means by the contract. Throws ContractError for an answer that no sound request
 * may get.
 */
function judge(
  request: SentRequest,
  answer: Answer,
): { readonly outcome: Outcome; readonly link?: LinkAnswer } {
  if (answer.kind === 'unsent') return { outcome: 'refused' }
  if (answer.kind === 'broken') return { outcome: 'ambiguous' }
  const { status, body, retryAfter } = answer
  if (status === 202) {
    const parsed = JSON.parse(body) as { accepted?: number; outcome?: string }
    if (request.kind === 'alias') {
      if (parsed.outcome === 'linked' || parsed.outcome === 'already-linked')
        return { outcome: 'accepted', link: parsed.outcome }
    } else if (parsed.accepted === request.slots.length) return { outcome: 'accepted' }
  }
  // Nothing was changed, but the call has its answer.
  if (status === 409 && request.kind === 'alias') return { outcome: 'accepted', link: 'conflict' }
  if ((status === 503 || status === 429) && retryAfter !== undefined) return { outcome: 'refused' }
  if (status === 500) return { outcome: 'refused' }
  throw new ContractError(`request ${request.id} (${request.kind}) was answered ${status} ${body}`)
}
