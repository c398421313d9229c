import { LruCache } from '../../runtime/concurrency/lru-cache.js'

/** Versions of the data that an answer depends on, as queries see it at the time of the call. */
export interface Versions {
  /** Cheap, and may change with events of other workspaces. */
  store(): Promise<string>
  /** Changes only with events of the workspace. */
  events(): Promise<string>
  /** Version of the workspace's links. Undefined while some are being delivered. */
  links(): Promise<string | undefined>
}

export interface AnswerSource<Answer> {
  /** Identifies the query and the workspace. */
  readonly key: string
  readonly versions: Versions
  /** Ends the wait. The computation goes on while other callers wait for it. */
  readonly signal: AbortSignal
  compute(signal: AbortSignal): Promise<Answer>
}

interface Entry<Answer> {
  readonly answer: Answer
  readonly links: string
  readonly events: string
  /** Cheap version at a time when `events` and `links` were these. */
  readonly store: string
}

interface Flight<Answer> {
  readonly links: string
  readonly store: string
  readonly events: Promise<string>
  readonly answer: Promise<Answer>
  readonly abort: AbortController
  waiting: number
}

const MAX_BYTES = 32 * 1024 * 1024

/**
 * Caches answers while their data stays the same, and shares one computation among concurrent callers.
 *
 * An entry has the versions read *before* it was computed, and is used only if they are still current. Events
 * are only added, so equal versions mean that nothing changed meanwhile. Data that arrives during the
 * computation makes the answer newer than its versions. Such an entry is never used, because the versions
 * have moved on.
 */
export class AnswerCache<Answer> {
  private readonly entries: LruCache<Entry<Answer>>
  private readonly flights = new Map<string, Flight<Answer>>()

  /** @param bytesOf rough memory of an answer */
  constructor(
    private readonly bytesOf: (answer: Answer) => number,
    maxBytes = MAX_BYTES,
  ) {
    this.entries = new LruCache(maxBytes)
  }

  /** `cached` tells whether the answer was computed for an earlier call. */
  async answer(work: AnswerSource<Answer>): Promise<{ readonly answer: Answer; readonly cached: boolean }> {
    const { key, versions } = work
    const [store, links] = await Promise.all([versions.store(), versions.links()])
    if (links === undefined) return { answer: await work.compute(work.signal), cached: false }

    const before = this.entries.get(key)
    const flight = this.flights.get(key)
    let events: string | undefined
    if (before !== undefined && before.links === links) {
      if (before.store === store) return { answer: before.answer, cached: true }
      events = await versions.events()
      if (before.events === events) {
        this.keep(key, { ...before, store })
        return { answer: before.answer, cached: true }
      }
    }
    if (flight !== undefined && flight.links === links && !flight.abort.signal.aborted) {
      const same = flight.store === store || (await flight.events) === (events ?? (await versions.events()))
      if (same && !flight.abort.signal.aborted)
        return { answer: await this.join(flight, work.signal), cached: false }
    }
    return { answer: await this.join(this.start(work, store, links, events), work.signal), cached: false }
  }

  private start(
    { key, versions, compute }: AnswerSource<Answer>,
    store: string,
    links: string,
    known: string | undefined,
  ): Flight<Answer> {
    const abort = new AbortController()
    const events = known === undefined ? versions.events() : Promise.resolve(known)
    const computing = events.then(async (version) => {
      const answer = await compute(abort.signal)
      this.keep(key, { answer, links, events: version, store })
      return answer
    })
    const flight: Flight<Answer> = { links, store, events, abort, waiting: 0, answer: computing }
    this.flights.set(key, flight)
    // Waiting callers get the rejection. There may be none left.
    computing
      .catch(() => {})
      .finally(() => {
        if (this.flights.get(key) === flight) this.flights.delete(key)
      })
    return flight
  }

  /** Waits for a computation, and aborts it when the last caller leaves. */
  private async join(flight: Flight<Answer>, signal: AbortSignal): Promise<Answer> {
    let leave: () => void = () => {}
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason)
    })
    flight.waiting++
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      return await Promise.race([flight.answer, left])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--flight.waiting === 0) flight.abort.abort()
    }
  }

  private keep(key: string, entry: Entry<Answer>): void {
    this.entries.set(key, entry, this.bytesOf(entry.answer))
  }
}
