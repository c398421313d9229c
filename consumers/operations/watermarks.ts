import type { EventLog, PartitionHandler, StoredRecord } from '../../log/port.js'
import { isPlausibleReceivedAt, readableHeader } from '../../log/record.js'
import type { Sql } from '../../postgres/driver/client.js'
import { publishWatermarks, type Watermark } from '../../postgres/tables/watermarks.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'

/** A request is in the log, or refused, after so long at most. */
const IN_FLIGHT_MS = 1_000
const LOG_MS = 5_000

interface Progress {
  position: number
  /** When the newest stored record was received. */
  newest: number | undefined
  /** When the first record was received that was delivered and is not stored. */
  waitingSince: number | undefined
}

export interface WatermarkPublisherDependencies {
  readonly sql: Sql
  readonly log: Pick<EventLog, 'id' | 'end'>
  readonly logger: Logger
  readonly now: () => number
  readonly everyMs: number
  readonly postgresMs: number
}

/**
 * Publishes the watermarks of the partitions that are read here, in one statement. They stay true under
 * another owner, because they describe what is stored and the end of the log.
 */
export function startWatermarkPublisher(deps: WatermarkPublisherDependencies) {
  const progressOf = new Map<number, Progress>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let publishing: Promise<void> = Promise.resolve()

  const turn = async (): Promise<void> => {
    try {
      const watermarks = await Promise.all(
        [...progressOf].map(([partition, progress]) => watermarkOf(deps, partition, progress)),
      )
      const known = watermarks.filter((row) => row !== undefined)
      const published = publishWatermarks(deps.sql, deps.log.id, known)
      await withTimeout(deps.postgresMs, 'Postgres, publishing watermarks', published)
    } catch (error) {
      deps.logger.debug({ err: error }, 'Publishing watermarks failed; retrying')
    }
    if (!stopped) timer = setTimeout(start, deps.everyMs)
  }
  const start = (): void => {
    publishing = turn()
  }
  start()

  return {
    /** The same handler, with its progress published. */
    watch: (handler: PartitionHandler) => watched(handler, progressOf),
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await publishing
    },
  }
}

async function watermarkOf(
  { log, now }: Pick<WatermarkPublisherDependencies, 'log' | 'now'>,
  partition: number,
  progress: Progress,
): Promise<Watermark | undefined> {
  // Read the time first: what arrives in between is later.
  const at = now()
  const end = await withTimeout(LOG_MS, 'the log, reading the end of a partition', log.end(partition)).catch(
    () => undefined,
  )
  if (end !== undefined && progress.position >= end)
    return { partition, watermark: at - IN_FLIGHT_MS, waitingSince: null }
  // Records lie nearly in the order of their times. One under way with the newest may be a little older.
  const through = progress.waitingSince ?? progress.newest
  return through === undefined
    ? undefined
    : { partition, watermark: through - IN_FLIGHT_MS, waitingSince: through }
}

function watched(handler: PartitionHandler, progressOf: Map<number, Progress>): PartitionHandler {
  return {
    async assigned(partition) {
      const position = await handler.assigned(partition)
      const before = progressOf.get(partition)
      progressOf.set(partition, { newest: undefined, waitingSince: undefined, ...before, position })
      return position
    },
    async handle(partition, records, signal, next) {
      const progress = progressOf.get(partition)
      if (progress !== undefined) progress.waitingSince ??= firstReceivedAt(records)
      await handler.handle(partition, records, signal, next)
      const last = records.at(-1)
      // A handler that is told to stop may leave records undone.
      if (progress === undefined || last === undefined || signal.aborted) return
      if (handler.holdsRecords?.(partition)) return
      progress.position = next ?? last.offset + 1
      progress.newest = firstReceivedAt([last]) ?? progress.newest
      progress.waitingSince = undefined
    },
    async skipTo(partition, offset) {
      await handler.skipTo?.(partition, offset)
      const progress = progressOf.get(partition)
      if (progress === undefined || handler.holdsRecords?.(partition)) return
      progress.position = Math.max(progress.position, offset)
    },
    revoked(partition) {
      progressOf.delete(partition)
      handler.revoked?.(partition)
    },
  }
}

function firstReceivedAt(records: readonly StoredRecord[]): number | undefined {
  for (const { payload } of records) {
    const receivedAt = readableHeader(payload)?.receivedAt
    if (receivedAt !== undefined && isPlausibleReceivedAt(receivedAt)) return receivedAt
  }
  return undefined
}
