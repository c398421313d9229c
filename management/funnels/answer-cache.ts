import { LruCache } from '../../runtime/concurrency/lru-cache.js'

/** What an answer depends on beside its query. Each is read as queries would see it at that moment. */
export interface Versions {
  /** Cheap, and changes more often than it must: with others' events too, where the store cannot tell whose they are. */
  store(): Promise<string>
  /** Of the workspace's events. */
  events(): Promise<string>
  /** Of the workspace's links; undefined while some are on their way to where queries see them. */
  links(): Promise<string | undefined>
}

export interface Work<Answer> {
  /** Says everything that decides the answer apart from the versions, the workspace too. */
  readonly key: string
  readonly versions: Versions
  /** Ends the wait; the work itself goes on while somebody else waits for it. */
  readonly signal: AbortSignal
  compute(signal: AbortSignal): Promise<Answer>
}

interface Kept<Answer> {
  readonly answer: Answer
  readonly links: string
  readonly events: string
  /** The cheap version at some time at which those of the workspace were these. */
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
 * Answers that are given again while nothing has changed, and given to everybody who asks at the same time.
 *
 * An answer is kept under versions read *before* it was computed, and given again only where they are the same when it is asked for. Events are only
 * added and versions name what is visible, so equal versions before and after mean that nothing became visible in between, the time of computing
 * included. What comes in between leaves an answer that is newer than its versions: it is never given, as by then they have moved on.
 */
export class AnswerCache<Answer> {
  private readonly kept: LruCache<Kept<Answer>>
  private readonly flights = new Map<string, Flight<Answer>>()

  /** @param bytesOf about what an answer takes in memory */
  constructor(
    private readonly bytesOf: (answer: Answer) => number,
    maxBytes = MAX_BYTES,
  ) {
    this.kept = new LruCache(maxBytes)
  }

  /** `kept` says whether the answer is an earlier one. */
  async answer(work: Work<Answer>): Promise<{ readonly answer: Answer; readonly kept: boolean }> {
    const { key, versions } = work
    const [store, links] = await Promise.all([versions.store(), versions.links()])
    if (links === undefined) return { answer: await work.compute(work.signal), kept: false }

    const before = this.kept.get(key)
    const flight = this.flights.get(key)
    let events: string | undefined
    if (before !== undefined && before.links === links) {
      if (before.store === store) return { answer: before.answer, kept: true }
      events = await versions.events()
      if (before.events === events) {
        this.keep(key, { ...before, store })
        return { answer: before.answer, kept: true }
      }
    }
    if (flight !== undefined && flight.links === links && !flight.abort.signal.aborted) {
      const same = flight.store === store || (await flight.events) === (events ?? (await versions.events()))
      if (same && !flight.abort.signal.aborted)
        return { answer: await this.join(flight, work.signal), kept: false }
    }
    return { answer: await this.join(this.start(work, store, links, events), work.signal), kept: false }
  }

  private start(
    { key, versions, compute }: Work<Answer>,
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
    // Whoever waits hears of a failure; nobody may be left.
    computing
      .catch(() => {})
      .finally(() => {
        if (this.flights.get(key) === flight) this.flights.delete(key)
      })
    return flight
  }

  /** Waits for work under way. It is given up when nobody waits any more. */
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

  private keep(key: string, kept: Kept<Answer>): void {
    this.kept.set(key, kept, this.bytesOf(kept.answer))
  }
}
