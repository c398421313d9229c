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
  /** Everything below is stored for good. */
  position: number
  readonly handler: PartitionHandler
  /** When the newest stored record was received. */
  newest: number | undefined
  /** Batches that were delivered and are not stored for good. */
  waiting: Batch[]
}

interface Batch {
  /** Offset behind the last record. */
  readonly to: number
  /** When the first record was received, and the last. */
  readonly first: number | undefined
  readonly last: number | undefined
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
  settle(partition, progress)
  if (end !== undefined && progress.position >= end)
    return { partition, watermark: at - IN_FLIGHT_MS, waitingSince: null }
  // Records lie nearly in the order of their times. One under way with the newest may be a little older.
  const through = progress.waiting.find(({ first }) => first !== undefined)?.first ?? progress.newest
  return through === undefined
    ? undefined
    : { partition, watermark: through - IN_FLIGHT_MS, waitingSince: through }
}

/** Leaves out the batches that are stored for good by now. */
function settle(partition: number, progress: Progress): void {
  progress.position = progress.handler.committedTo?.(partition) ?? progress.position
  for (const { to, last } of progress.waiting)
    if (to <= progress.position) progress.newest = last ?? progress.newest
  progress.waiting = progress.waiting.filter(({ to }) => to > progress.position)
}

function watched(handler: PartitionHandler, progressOf: Map<number, Progress>): PartitionHandler {
  const handled = (partition: number, to: number): void => {
    const progress = progressOf.get(partition)
    if (progress === undefined) return
    if (handler.committedTo === undefined) progress.position = Math.max(progress.position, to)
    settle(partition, progress)
  }
  return {
    async assigned(partition) {
      const position = await handler.assigned(partition)
      const { newest, waiting = [] } = progressOf.get(partition) ?? {}
      const progress = { handler, newest, waiting, position }
      settle(partition, progress)
      progressOf.set(partition, progress)
      return position
    },
    async handle(partition, records, signal, next) {
      const progress = progressOf.get(partition)
      const [from] = records
      const to = next ?? (records.at(-1)?.offset ?? -1) + 1
      if (progress !== undefined && from !== undefined) {
        // Delivered again after a failure, maybe in other batches.
        const again = progress.waiting.find((batch) => batch.to > from.offset)
        const first = again?.first ?? firstReceivedAt(records)
        progress.waiting = progress.waiting.filter((batch) => batch.to <= from.offset)
        progress.waiting.push({ to, first, last: firstReceivedAt(records.slice(-1)) })
      }
      await handler.handle(partition, records, signal, next)
      // A handler that is told to stop may leave records undone.
      if (!signal.aborted) handled(partition, to)
    },
    async skipTo(partition, offset) {
      await handler.skipTo?.(partition, offset)
      handled(partition, offset)
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
