import {
  type Breakdown,
  type ResultsRequest,
  readResults,
  readSegments,
} from '../../clickhouse/queries/results/index.js'
import type { FunnelExperiment, JsonValue } from '../../domain/funnel.js'
import type { MeasuredExperiment, Results } from '../../domain/statistics/index.js'
import { type PublishedWatermark, publishedWatermarks } from '../../postgres/tables/watermarks.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { type ExperimentRow, lookUpExperiment } from '../experiments/index.js'
import type { Services } from '../services.js'
import { type SizingState, sizingState } from './baseline.js'
import type { MeasureOptions } from './measure-options.js'
import { statistics } from './statistics.js'

const HOUR_MS = 3_600_000

interface Segment {
  readonly value: JsonValue
  readonly exploratory: true
  readonly results: Results
}

/** Measures an experiment now. Throws ClickHouseError. */
export async function measure(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  options: MeasureOptions = {},
): Promise<Results> {
  const asOf = services.now()
  const lag = await lagSeconds(services)
  const { resultsOf } = await statistics()
  const { counts } = await readResults(
    services.clickhouse,
    resultsRequest(services, workspaceId, row, options),
  )
  const sizing = await sizingState(services, workspaceId, row, counts.variants[0], options)
  const results = resultsOf(counts, measuredOf(row, sizing), { asOf, lagSeconds: lag })
  return sizing === undefined ? results : { ...results, sizing }
}

/** Measures by a property of each person's first exposure. Throws FunnelRefusal, ClickHouseError. */
export async function measureSegments(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  breakdown: Breakdown,
  options: MeasureOptions = {},
): Promise<readonly Segment[]> {
  const asOf = services.now()
  const lag = await lagSeconds(services)
  const { resultsOf } = await statistics()
  const request = resultsRequest(services, workspaceId, row, options)
  const { segments } = await readSegments(services.clickhouse, request, breakdown)
  return segments.map(({ value, counts }) => ({
    value,
    exploratory: true,
    results: resultsOf(counts, measuredOf(row), { asOf, lagSeconds: lag }),
  }))
}

/** Last time of a conversion in milliseconds: the end plus settling. Null before the end. */
export function measuredUntil(
  row: Pick<ExperimentRow, 'endedAt' | 'settlesAt' | 'decidedAt'>,
  settlingHours: number,
): number | null {
  const { endedAt, settlesAt, decidedAt } = row
  if (endedAt === null) return null
  // The decision fixed the time. A forced decision shortened the wait, not the measured period.
  const fixed = settlesAt !== null && settlesAt.getTime() !== decidedAt?.getTime()
  return fixed ? settlesAt.getTime() : endedAt.getTime() + settlingHours * HOUR_MS
}

/** The experiment of a key as a funnel by variant needs it. Undefined if there is none. */
export async function measuredExperiment(
  { sql, settlingHours }: Pick<Services, 'sql' | 'settlingHours'>,
  workspaceId: string,
  key: string,
): Promise<FunnelExperiment | undefined> {
  const row = await lookUpExperiment(sql, workspaceId, key)
  // An id is not a key.
  return row?.key === key ? { key, ...periodOf(row, settlingHours) } : undefined
}

function periodOf(row: ExperimentRow, settlingHours: number) {
  return {
    variants: row.variants.map(({ key }) => key),
    startedAt: row.startedAt?.getTime() ?? null,
    endedAt: row.endedAt?.getTime() ?? null,
    measuredUntil: measuredUntil(row, settlingHours),
  }
}

export function resultsRequest(
  { settlingHours }: Services,
  workspaceId: string,
  row: ExperimentRow,
  { limits, signal, upToDate }: MeasureOptions,
): ResultsRequest {
  return {
    workspaceId,
    key: row.key,
    ...periodOf(row, settlingHours),
    targets: row.conversionTargets.map(({ eventName, windowHours, filters, metric }) => ({
      eventName,
      windowHours,
      filters,
      metric,
    })),
    limits,
    signal,
    upToDate,
  }
}

export function measuredOf(
  { variants, conversionTargets, startedAt, sizing }: ExperimentRow,
  state?: SizingState,
): MeasuredExperiment {
  return {
    variants,
    targets: conversionTargets,
    hasStarted: startedAt !== null,
    sizing: sizing === null ? null : { ...sizing, personsNeeded: state?.personsNeeded ?? null },
  }
}

/** Consumers publish watermarks every second. A consumer that is silent for longer may have died. */
const SILENT_SECONDS = 5
const LOG_MS = 1_500

/**
 * Age of the oldest accepted event that is not stored, in seconds. 0 if all are stored. For a partition
 * without a live consumer it is the time since its watermark, unless this process can look into the log and
 * finds it drained.
 */
export async function lagSeconds({ sql, log, now }: Pick<Services, 'sql' | 'log' | 'now'>): Promise<number> {
  const watermarks = await publishedWatermarks(sql)
  const oldest = await Promise.all(watermarks.map((row) => waitingSince(row, log)))
  const since = oldest.filter((time) => time !== undefined)
  return since.length === 0 ? 0 : Math.max(0, now() - Math.min(...since)) / 1_000
}

async function waitingSince(row: PublishedWatermark, log: Services['log']): Promise<number | undefined> {
  const { silentSeconds, logCreatedAt, watermark, waitingSince, logId, partition, doneOffset } = row
  if (silentSeconds !== null && silentSeconds <= SILENT_SECONDS) return waitingSince?.getTime()
  const since = (waitingSince ?? watermark ?? logCreatedAt).getTime()
  if (log?.id !== logId) return since
  try {
    return (await withTimeout(LOG_MS, 'the event log', log.end(partition))) > doneOffset ? since : undefined
  } catch {
    // The log does not answer. The upper bound is still right.
    return since
  }
}
