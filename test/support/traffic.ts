import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { call, until } from './service.js'

/** Addresses and keys of a service. */
export interface TrafficTarget {
  readonly api: string
  readonly ingest: string
  readonly keys: { readonly serverKey: string; readonly apiKey: string }
}

export interface TrafficOptions {
  /** Requests at a time; those of even number carry insertIds and are sent again until they are accepted. */
  readonly clients: number
  /** Events of a request. */
  readonly events: number
  /** Bytes of filling in each event's properties. */
  readonly filling?: number
  /** Between two requests of a client, milliseconds. */
  readonly pauseMs?: number
  /** Tells several traffics of one workspace apart. */
  readonly name?: string
}

/** One answer, or what came instead of it. */
export interface Outcome {
  /** Milliseconds since the traffic began. */
  readonly at: number
  readonly ms: number
  /** 0 if the connection ended without a response. */
  readonly status: number
  readonly retryAfter: string | null
}

/** Knowledge of a batch: it must be there, must not be there, or may be there as a whole. */
type Truth = 'stored' | 'refused' | 'unknown'

/** A request that takes longer has hung: the gateway answers or closes within five seconds. */
const HUNG_MS = 15_000

/**
 * Clients that remember the outcome of everything they sent. Each request is a batch with a unique event
 * name, so the stored events show for each of them whether it is there completely, once and as answered.
 */
export class Traffic {
  readonly outcomes: Outcome[] = []
  private readonly truth = new Map<string, Truth>()
  private readonly startedAt = performance.now()
  private readonly running: Promise<void>[]
  private stopping = false
  private batches = 0

  constructor(
    private readonly target: TrafficTarget,
    private readonly options: TrafficOptions,
  ) {
    this.running = Array.from({ length: options.clients }, (_, client) => this.run(client % 2 === 0))
    // A test that fails in the middle would send for ever, and never end.
    t.teardown(() => this.stop())
  }

  /** Milliseconds since the traffic began. */
  now(): number {
    return performance.now() - this.startedAt
  }

  /** The answers from a moment on, by status. */
  statuses(from = 0): Record<number, number> {
    const counts: Record<number, number> = {}
    for (const { status, at } of this.outcomes) if (at >= from) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  /**
   * Share of answers from a moment on that were 202. It may be below 1 if the machine's disk stalls for
   * seconds.
   */
  accepted(from = 0): number {
    const answers = this.outcomes.filter(({ at }) => at >= from)
    return answers.filter(({ status }) => status === 202).length / answers.length
  }

  /** Events that were acknowledged. */
  get acknowledged(): number {
    let batches = 0
    for (const truth of this.truth.values()) if (truth === 'stored') batches++
    return batches * this.options.events
  }

  /** Waits for a number of answers of a status from now on. */
  async sees(status: number, count = 1, seconds = 60): Promise<boolean> {
    const from = this.now()
    const seen = await until(
      async () => this.statuses(from)[status] ?? 0,
      (n) => n >= count,
      seconds,
    )
    return seen >= count
  }

  /** Stops sending. Resolves when every request has its answer. */
  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all(this.running)
  }

  /** Reads the stored events once their number is stable, and describes their problems in sentences. */
  async verify(seconds = 60): Promise<{ readonly problems: string[]; readonly stored: number }> {
    const { events } = this.options
    const least = this.acknowledged
    const total = await until(
      () => this.total(),
      (count) => count >= least,
      seconds,
    )
    const problems: string[] = []
    if (total < least) problems.push(`${total} events are stored, and ${least} were acknowledged`)
    const { rows, vocabulary } = await this.readAtRest()
    const counts = new Map(vocabulary.body.data.map(({ eventName, count }) => [eventName, count]))
    let stored = 0
    for (const [name, truth] of this.truth) {
      const places = rows.get(name) ?? new Map<string, number>()
      const found = [...places.values()].reduce((sum, times) => sum + times, 0)
      stored += found
      if (found !== places.size) problems.push(`${name}: ${found} rows of ${places.size} events (doubled)`)
      if (places.size !== 0 && places.size !== events)
        problems.push(`${name}: ${places.size} of ${events} events (torn)`)
      if (truth === 'stored' && places.size === 0) problems.push(`${name}: acknowledged and lost`)
      if (truth === 'refused' && places.size > 0) problems.push(`${name}: refused and stored`)
      if ((counts.get(name) ?? 0) !== found)
        problems.push(`${name}: ${found} rows, and the vocabulary counts ${counts.get(name) ?? 0}`)
    }
    return { problems, stored }
  }

  /**
   * Reads every row and the vocabulary until two readings agree. A row that is stored meanwhile moves the
   * others from one page to the next, and the total counts it a moment before the pages show it.
   */
  private async readAtRest() {
    for (let last = ''; ; await sleep(500)) {
      const rows = await this.allRows()
      const vocabulary = await call<{ data: { eventName: string; count: number }[] }>(
        this.target.keys.apiKey,
        'GET',
        `${this.target.api}/v1/funnel/events?limit=10000`,
      )
      const read = JSON.stringify([...rows].map(([event, places]) => [event, [...places]]))
      if (read === last) return { rows, vocabulary }
      last = read
    }
  }

  /** How often each user has each event of this traffic. */
  private async allRows() {
    const prefix = `${this.options.name ?? 'batch'}_`
    const rows = new Map<string, Map<string, number>>()
    for (let offset = 0; ; offset += 100) {
      const { status, body } = await this.page(offset, 100)
      if (status !== 200) throw new Error(`the events cannot be read: ${JSON.stringify(body)}`)
      for (const { event, userId } of body.data) {
        if (!event.startsWith(prefix)) continue
        const places = rows.get(event) ?? new Map<string, number>()
        rows.set(event, places.set(userId, (places.get(userId) ?? 0) + 1))
      }
      if (!body.pagination.hasMore) return rows
    }
  }

  private async total(): Promise<number> {
    const { status, body } = await this.page(0, 1)
    return status === 200 ? body.pagination.total : 0
  }

  private page(offset: number, limit: number) {
    return call<{
      data: { event: string; userId: string }[]
      pagination: { hasMore: boolean; total: number }
    }>(this.target.keys.apiKey, 'GET', `${this.target.api}/v1/events?limit=${limit}&offset=${offset}`)
  }

  private async run(withInsertIds: boolean): Promise<void> {
    const { events: size, filling = 0, pauseMs = 0 } = this.options
    let again: { name: string; body: string } | undefined
    while (!this.stopping) {
      const batch = again ?? this.makeBatch(size, filling, withInsertIds)
      const status = await this.send(batch.body)
      const before = this.truth.get(batch.name)
      if (status === 202) this.truth.set(batch.name, 'stored')
      // A request closed without an answer may be stored, whatever later answers say.
      else if (status === 0 || before === 'unknown') this.truth.set(batch.name, 'unknown')
      else this.truth.set(batch.name, 'refused')
      again = withInsertIds && status !== 202 ? batch : undefined
      await sleep(status === 202 ? pauseMs : Math.max(pauseMs, 50))
    }
  }

  private makeBatch(size: number, filling: number, withInsertIds: boolean): { name: string; body: string } {
    const name = `${this.options.name ?? 'batch'}_${this.batches++}`
    const events = Array.from({ length: size }, (_, i) => ({
      event: name,
      userId: `${name}-${i}`,
      // Hardly to be compressed, so that it needs the room it takes.
      ...(filling === 0 ? {} : { properties: { filling: noise(filling) } }),
      ...(withInsertIds ? { insertId: `${name}-${i}` } : {}),
    }))
    return { name, body: JSON.stringify({ events }) }
  }

  private async send(body: string): Promise<number> {
    const at = this.now()
    let status = 0
    let retryAfter: string | null = null
    try {
      const response = await fetch(`${this.target.ingest}/v1/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.target.keys.serverKey}`,
          'content-type': 'application/json',
        },
        body,
        signal: AbortSignal.timeout(HUNG_MS),
      })
      await response.arrayBuffer()
      status = response.status
      retryAfter = response.headers.get('retry-after')
    } catch {
      // No answer.
    }
    this.outcomes.push({ at, ms: this.now() - at, status, retryAfter })
    return status
  }
}

function noise(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length)
}
