import { useEffect, useRef, useState } from 'preact/hooks'
import { answer, api } from '../../client/api'
import type { Failure } from '../../client/failure'
import { followEvents, type StoredEvent } from './stream'

const MOST_KEPT = 200
const LISTED = 100
/** Rows are drawn anew so often at most, however many events arrive. */
const DRAW_MS = 250
export const SHOWN_SECONDS = 300

export interface Live {
  /** Newest first. */
  readonly events: readonly StoredEvent[]
  /** Have arrived since it was paused. */
  readonly waiting: number
  /** Events that were left out because too many came. */
  readonly skipped: number
  /** Events received in each of the last seconds, the oldest first; `at` is the last one's time. */
  readonly rate: { readonly at: number; readonly counts: readonly number[] } | undefined
  /** What keeps it from going on; undefined while it goes on. */
  readonly failure: Failure | undefined
  /** The first events are there, or it is known that there are none. */
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

/**
 * The newest events and how many there are a second, as they arrive.
 *
 * @param event only events of this name; all where empty
 */
export function useLive(event: string, paused: boolean): Live {
  const [live, setLive] = useState(NOTHING)
  const isPaused = useRef(paused)
  isPaused.current = paused
  const draw = useRef<() => void>(() => undefined)

  useEffect(() => {
    setLive(NOTHING)
    const known = new Map<string, StoredEvent>()
    const counts = new Map<number, number>()
    let shown: readonly StoredEvent[] = []
    let arrived = 0
    let skipped = 0
    let failure: Failure | undefined
    let listed = false
    /** Opened, and not listed since. */
    let opened = false
    /** How far the server's clock is ahead of this one, once it is known. */
    let ahead: number | undefined
    let changed = true

    const keep = (events: readonly StoredEvent[]): void => {
      for (const one of events) known.set(one.id, one)
      if (known.size <= 2 * MOST_KEPT) return
      const newest = [...known.values()].sort(byNewest).slice(0, MOST_KEPT)
      known.clear()
      for (const one of newest) known.set(one.id, one)
    }
    const show = (): void => {
      if (!isPaused.current) {
        shown = [...known.values()].sort(byNewest).slice(0, MOST_KEPT)
        arrived = 0
      }
      changed = false
      setLive({
        events: shown,
        waiting: arrived,
        skipped,
        rate: ahead === undefined ? undefined : rateOf(counts, Date.now() + ahead),
        failure,
        ready: listed || shown.length > 0,
      })
    }
    draw.current = show

    const left = new AbortController()
    /** What is there already. Asked for once the stream has its place, which the first rate says, so that nothing falls between the two. */
    const list = (): void => {
      answer(api.GET('/events', { params: { query: { limit: LISTED } }, signal: left.signal })).then(
        ({ data }) => {
          keep(data.filter((one) => event === '' || one.event === event))
          listed = true
          show()
        },
        () => {
          listed = true
          changed = true
        },
      )
    }
    const end = followEvents(event, {
      event(one) {
        if (!known.has(one.id)) arrived++
        keep([one])
        changed = true
      },
      rate(now, seconds) {
        ahead = now - Date.now()
        for (const [at, count] of seconds) counts.set(at, count)
        if (opened) list()
        opened = false
        changed = true
      },
      gap(count) {
        skipped += count ?? 0
        if (count === null) list()
        changed = true
      },
      state(problem) {
        failure = problem
        opened = problem === undefined
        if (!opened && !listed) list()
        changed = true
      },
    })
    // The picture moves on while nothing arrives.
    let turns = 0
    const timer = setInterval(() => {
      turns++
      if (document.visibilityState === 'visible' && (changed || turns % 4 === 0)) show()
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

/** The last seconds that are over: the one that is not would look like a fall. */
function rateOf(counts: Map<number, number>, now: number): NonNullable<Live['rate']> {
  const at = Math.floor(now / 1_000) * 1_000 - 2_000
  const first = at - (SHOWN_SECONDS - 1) * 1_000
  for (const second of counts.keys()) if (second < first) counts.delete(second)
  return {
    at,
    counts: Array.from({ length: SHOWN_SECONDS }, (_, i) => counts.get(first + i * 1_000) ?? 0),
  }
}
