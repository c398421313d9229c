import type { Measurements, Results } from '../../domain/statistics/index.js'
import { measurementsOf } from '../../domain/statistics/measurements.js'
import type { Sql } from '../../postgres/driver/client.js'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { ExperimentRow } from '../experiments/types.js'
import type { Services } from '../services.js'
import { type MeasureOptions, measure } from './measure.js'
import { findResults, keepResults, type StoredResults } from './store.js'

/** How long whoever asks for an experiment waits for its figures; they are computed and kept all the same. */
const WAIT_MS = 3_000
/** How many experiments are measured side by side for those who ask. */
const LANES = 2
/** About what a result without persons takes in memory, and all that are held. */
const UNSTARTED_BYTES = 4_096
const MAX_BYTES = 4 * 1024 * 1024

export interface CurrentResults {
  readonly results: Results
  readonly measurements: Measurements
}

/** By database: what is being measured now, by experiment, and those who wait for a lane. */
interface Flights {
  readonly underWay: Map<string, Promise<CurrentResults>>
  readonly waiting: (() => void)[]
  lanes: number
  /** Of those that never started, which have nothing to be kept in a table: what was answered last. */
  readonly unstarted: LruCache<CurrentResults>
}
const flightsOf = new WeakMap<Sql, Flights>()

/**
 * An experiment's results: those that are kept where they are frozen or young enough, else measured again, once for all who ask at the same time. Where that does
 * not come to an end in time, as without ClickHouse, those that are kept, which say of when they are; undefined where there are none. Never rejects but
 * where Postgres is gone.
 */
export async function currentResults(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
): Promise<CurrentResults | undefined> {
  if (row.startedAt === null) {
    const last = flightsIn(services.sql).unstarted.get(questionOf(row))
    if (last !== undefined && isYoung(services, Date.parse(last.results.asOf))) return last
  }
  const kept = await findResults(services.sql, row.id)
  if (kept !== undefined && isCurrent(kept, services, row)) return shown(kept.results)
  try {
    return await withTimeout(WAIT_MS, 'the results', refreshResults(services, workspaceId, row))
  } catch (error) {
    services.logger.debug({ err: error, experiment: row.id }, 'results cannot be measured now')
    return kept === undefined ? undefined : shown(kept.results)
  }
}

/** Measures an experiment and keeps what came out; where that is under way, waits for it. Throws ClickHouseError. */
export function refreshResults(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  options: MeasureOptions = {},
): Promise<CurrentResults> {
  const flights = flightsIn(services.sql)
  const key = questionOf(row)
  const underWay = flights.underWay.get(key)
  if (underWay !== undefined) return underWay
  const flight = inLane(flights, async () => {
    const results = await measure(services, workspaceId, row, options)
    const current = shown(results)
    // What never started has no figures that a list could be sorted by.
    if (row.startedAt === null) flights.unstarted.set(key, current, UNSTARTED_BYTES)
    else await keepResults(services.sql, workspaceId, row.id, results, current.measurements)
    return current
  }).finally(() => flights.underWay.delete(key))
  flights.underWay.set(key, flight)
  // Whoever waited may have gone.
  flight.catch(() => {})
  return flight
}

function isCurrent(
  { measuredAt, frozen }: StoredResults,
  services: Services,
  { updatedAt }: ExperimentRow,
): boolean {
  return frozen || (measuredAt >= updatedAt && isYoung(services, measuredAt.getTime()))
}

function isYoung({ now, resultsMaxAgeSeconds }: Services, measuredAt: number): boolean {
  const age = now() - measuredAt
  return age >= 0 && age <= resultsMaxAgeSeconds * 1_000
}

/** An experiment that has changed is another question. */
function questionOf({ id, updatedAt }: ExperimentRow): string {
  return `${id} ${updatedAt.getTime()}`
}

function flightsIn(sql: Sql): Flights {
  let flights = flightsOf.get(sql)
  if (flights === undefined) {
    flights = { underWay: new Map(), waiting: [], lanes: LANES, unstarted: new LruCache(MAX_BYTES) }
    flightsOf.set(sql, flights)
  }
  return flights
}

function shown(results: Results): CurrentResults {
  return { results, measurements: measurementsOf(results) }
}

async function inLane<Value>(flights: Flights, work: () => Promise<Value>): Promise<Value> {
  if (flights.lanes === 0) await new Promise<void>((resolve) => flights.waiting.push(resolve))
  else flights.lanes--
  try {
    return await work()
  } finally {
    const next = flights.waiting.shift()
    if (next === undefined) flights.lanes++
    else next()
  }
}
