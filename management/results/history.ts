import { readVariantCounts } from '../../clickhouse/queries/results/index.js'
import type { VariantResults } from '../../domain/statistics/index.js'
import type { ExperimentRow } from '../experiments/index.js'
import type { Services } from '../services.js'
import { measuredOf, resultsRequest } from './measure.js'
import type { MeasureOptions } from './measure-options.js'
import { statistics } from './statistics.js'

const DAY_MS = 86_400_000
const MAX_POINTS = 90

export interface HistoryPoint {
  /** Milliseconds. */
  readonly at: number
  readonly variants: readonly VariantResults[]
}

/**
 * The primary target as it stood at the end of each day of UTC since the start, and now or when measuring
 * ended; at most `MAX_POINTS`, evenly thinned. A point counts what had happened by then, whenever it was
 * received. Throws ClickHouseError.
 */
export async function resultsHistory(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  options: MeasureOptions = {},
): Promise<HistoryPoint[]> {
  if (row.startedAt === null) return []
  const { resultsOf } = await statistics()
  const request = resultsRequest(services, workspaceId, row, options)
  const until = Math.min(services.now(), request.measuredUntil ?? Number.POSITIVE_INFINITY)
  const primary = { ...request, targets: request.targets.slice(0, 1) }
  const measured = { ...measuredOf(row), targets: row.conversionTargets.slice(0, 1) }
  const points: HistoryPoint[] = []
  for (const at of historyTimes(row.startedAt.getTime(), until)) {
    const counts = await readVariantCounts(services.clickhouse, {
      ...primary,
      endedAt: Math.min(at, request.endedAt ?? at),
      measuredUntil: at,
    })
    const results = resultsOf(counts, measured, { asOf: at, lagSeconds: 0 })
    points.push({ at, variants: results.targets[0]?.variants ?? [] })
  }
  return points
}

/** The ends of the days of UTC after `from` and before `until`, and `until`, in milliseconds. */
export function historyTimes(from: number, until: number): number[] {
  if (until <= from) return [Math.max(from, until)]
  const ends: number[] = []
  for (let end = (Math.floor(from / DAY_MS) + 1) * DAY_MS; end < until; end += DAY_MS) ends.push(end)
  const all = [...ends, until]
  if (all.length <= MAX_POINTS) return all
  // The last one stays, so that the newest state is there.
  return Array.from(
    { length: MAX_POINTS },
    (_, index) => all[Math.round((index * (all.length - 1)) / (MAX_POINTS - 1))],
  ).flatMap((at) => (at === undefined ? [] : [at]))
}
