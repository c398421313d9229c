import { useEffect, useRef, useState } from 'preact/hooks'
import { api, unwrap } from '../../client/api'
import type { ApiError } from '../../client/api-error'
import { openEventStream, type StoredEvent } from './stream'

const MAX_EVENTS = 200
const INITIAL_EVENTS = 100
/** Rows are redrawn at most this often. */
const DRAW_MS = 250
export const SHOWN_SECONDS = 300

export interface Live {
  /** Newest first. */
  readonly events: readonly StoredEvent[]
  /** Number of events since the page was paused. */
  readonly waiting: number
  /** Events left out because too many came. */
  readonly skipped: number
  /** Events per second, oldest first. `at` is the time of the last second. */
  readonly rate: { readonly at: number; readonly counts: readonly number[] } | undefined
  /** Undefined while the stream is connected. */
  readonly failure: ApiError | undefined
  /** Whether the first listing is done. */
  readonly ready: boolean
}

const NOTHING: Live = {
  events: [],
  waiting: 0,
  skipped: 0,
  rate: undefined,
  failure: undefined,
  ready: false,
}

/** Buffers the events of a stream. */
class EventBuffer {
  private readonly known = new Map<string, StoredEvent>()
  private readonly counts = new Map<number, number>()
  private shown: readonly StoredEvent[] = []
  private arrived = 0
  private skipped = 0
  private failure: ApiError | undefined
  /** Server clock minus local clock; undefined until it is known. */
  private ahead: number | undefined
  /** Whether the earlier events are loaded, or failed to load. */
  listed = false
  /** Since the last `show`. */
  changed = true

  keep(events: readonly StoredEvent[]): void {
    const { known } = this
    for (const one of events) known.set(one.id, one)
    if (known.size <= 2 * MAX_EVENTS) return
    const newest = [...known.values()].sort(byNewest).slice(0, MAX_EVENTS)
    known.clear()
    for (const one of newest) known.set(one.id, one)
  }

  event(one: StoredEvent): void {
    if (!this.known.has(one.id)) this.arrived++
    this.keep([one])
    this.changed = true
  }

  rate(now: number, seconds: readonly (readonly [number, number])[]): void {
    this.ahead = now - Date.now()
    for (const [at, count] of seconds) this.counts.set(at, count)
    this.changed = true
  }

  gap(count: number): void {
    this.skipped += count
    this.changed = true
  }

  state(failure: ApiError | undefined): void {
    this.failure = failure
    this.changed = true
  }

  /** A snapshot. While paused, the events stay the same. */
  show(isPaused: boolean): Live {
    if (!isPaused) {
      this.shown = [...this.known.values()].sort(byNewest).slice(0, MAX_EVENTS)
      this.arrived = 0
    }
    this.changed = false
    return {
      events: this.shown,
      waiting: this.arrived,
      skipped: this.skipped,
      rate: this.ahead === undefined ? undefined : rateOf(this.counts, Date.now() + this.ahead),
      failure: this.failure,
      ready: this.listed || this.shown.length > 0,
    }
  }
}

/**
 * The newest events and their rate, live.
 *
 * @param event only events of this name; empty for all
 */
export function useLive(event: string, paused: boolean): Live {
  const [live, setLive] = useState(NOTHING)
  const isPaused = useRef(paused)
  isPaused.current = paused
  const draw = useRef<() => void>(() => undefined)

  useEffect(() => {
    setLive(NOTHING)
    const arrivals = new EventBuffer()
    /** The stream is open, but the earlier events are not listed yet. */
    let opened = false
    const show = (): void => setLive(arrivals.show(isPaused.current))
    draw.current = show

    const left = new AbortController()
    /**
     * Lists earlier events after the first rate message: by then the stream has a position, so that none is
     * missed.
     */
    const list = (): void => {
      unwrap(api.GET('/events', { params: { query: { limit: INITIAL_EVENTS } }, signal: left.signal })).then(
        ({ data }) => {
          arrivals.keep(data.filter((one) => event === '' || one.event === event))
          arrivals.listed = true
          show()
        },
        () => {
          arrivals.listed = true
          arrivals.changed = true
        },
      )
    }
    const end = openEventStream(event, {
      event: (one) => arrivals.event(one),
      rate(now, seconds) {
        arrivals.rate(now, seconds)
        if (opened) list()
        opened = false
      },
      gap(count) {
        arrivals.gap(count ?? 0)
        if (count === null) list()
      },
      state(problem) {
        arrivals.state(problem)
        opened = problem === undefined
        if (!opened && !arrivals.listed) list()
      },
    })
    // The rate chart moves on without new events.
    let turns = 0
    const timer = setInterval(() => {
      turns++
      if (document.visibilityState === 'visible' && (arrivals.changed || turns % 4 === 0)) show()
    }, DRAW_MS)
    return () => {
      left.abort()
      end()
      clearInterval(timer)
    }
  }, [event])

  useEffect(() => draw.current(), [paused])
  return live
}

function byNewest(a: StoredEvent, b: StoredEvent): number {
  return a.id < b.id ? 1 : -1
}

/** Omits the current second, which is incomplete and would look like a drop. */
function rateOf(counts: Map<number, number>, now: number): NonNullable<Live['rate']> {
  const at = Math.floor(now / 1_000) * 1_000 - 2_000
  const first = at - (SHOWN_SECONDS - 1) * 1_000
  for (const second of counts.keys()) if (second < first) counts.delete(second)
  return {
    at,
    counts: Array.from({ length: SHOWN_SECONDS }, (_, i) => counts.get(first + i * 1_000) ?? 0),
  }
}
