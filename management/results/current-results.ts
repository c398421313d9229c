import type { Measurements, Results } from '../../domain/statistics/index.js'
import { measurementsOf } from '../../domain/statistics/measurements.js'
import type { Sql } from '../../postgres/driver/client.js'
import { FairQueue } from '../../runtime/concurrency/fair-queue.js'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { SingleFlight } from '../../runtime/concurrency/single-flight.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { ExperimentRow } from '../experiments/index.js'
import type { Services } from '../services.js'
import { measure } from './measure.js'
import type { MeasureOptions } from './measure-options.js'
import { findResults, keepResults, type StoredResults } from './store.js'

/** How long a request waits. The measurement goes on after that, and its results are stored. */
const WAIT_MS = 3_000
/**
 * Experiments measured in parallel, for requests and in the background. The last permit is for workspaces
 * that measure nothing, so a workspace with slow experiments does not delay the others.
 */
const MAX_MEASURING = 3
const MAX_MEASURING_PER_WORKSPACE = 2
const RESERVED_MEASURING = 1
/** A measurement that waits longer is left to the next refresh. */
const MAX_QUEUED_MS = 60_000
const NEVER = new AbortController().signal
/** Rough memory of the results of an experiment that never started, and the limit of their cache. */
const UNSTARTED_BYTES = 4_096
const MAX_BYTES = 4 * 1024 * 1024

export interface CurrentResults {
  readonly results: Results
  readonly measurements: Measurements
}

/** Measuring for one database, shared by all requests of this process. */
interface Measuring {
  readonly flights: SingleFlight<string, CurrentResults>
  readonly turns: FairQueue
  /** Last results of experiments that never started, which have no row in a table. */
  readonly unstarted: LruCache<CurrentResults>
}
const measuringOf = new WeakMap<Sql, Measuring>()

/**
 * Results of an experiment: the stored ones if they are frozen or young enough, otherwise new ones.
 * Concurrent requests share one measurement. If it takes too long or fails, the stored results, or undefined
 * if there are none. Rejects only if Postgres cannot be reached.
 */
export async function currentResults(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
): Promise<CurrentResults | undefined> {
  if (row.startedAt === null) {
    const last = measuringFor(services.sql).unstarted.get(measurementKey(row))
    if (last !== undefined && isYoung(services, Date.parse(last.results.asOf))) return last
  }
  // An experiment that never started has none.
  const stored = row.startedAt === null ? undefined : await findResults(services.sql, row.id)
  if (stored !== undefined && isCurrent(stored, services, row)) return shown(stored.results)
  try {
    return await withTimeout(WAIT_MS, 'the results', refreshResults(services, workspaceId, row))
  } catch (error) {
    services.logger.debug(
      { err: error, experiment: row.id },
      'Results not measured: the stored ones are shown',
    )
    return stored === undefined ? undefined : shown(stored.results)
  }
}

/**
 * Measures an experiment and stores the results. Joins a measurement in progress.
 * Throws ClickHouseError, QueueTimeoutError.
 */
export function refreshResults(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  options: MeasureOptions = {},
): Promise<CurrentResults> {
  const { flights, turns, unstarted } = measuringFor(services.sql)
  const key = measurementKey(row)
  return flights.run(key, () =>
    turns.run(
      workspaceId,
      async () => {
        const results = await measure(services, workspaceId, row, options)
        const current = shown(results)
        // The table holds figures that lists are sorted by, and such an experiment has none.
        if (row.startedAt === null) unstarted.set(key, current, UNSTARTED_BYTES)
        else await keepResults(services.sql, workspaceId, row.id, results, current.measurements)
        return current
      },
      { signal: options.signal ?? NEVER },
    ),
  )
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

/** An edited experiment is measured again. */
function measurementKey({ id, updatedAt }: ExperimentRow): string {
  return `${id} ${updatedAt.getTime()}`
}

function measuringFor(sql: Sql): Measuring {
  let measuring = measuringOf.get(sql)
  if (measuring === undefined) {
    measuring = {
      flights: new SingleFlight(),
      turns: new FairQueue(MAX_MEASURING, MAX_MEASURING_PER_WORKSPACE, RESERVED_MEASURING, MAX_QUEUED_MS),
      unstarted: new LruCache(MAX_BYTES),
    }
    measuringOf.set(sql, measuring)
  }
  return measuring
}

function shown(results: Results): CurrentResults {
  return { results, measurements: measurementsOf(results) }
}
