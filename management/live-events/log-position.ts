import type { PartitionProgress } from '../../postgres/tables/log-progress.js'

/**
 * The position of stored events at a moment: the first offset of each partition that may not be stored.
 * Partitions are stored in any order, so no time and no event id tells that. Between two positions lies each
 * event exactly once.
 */
export interface LogPosition {
  /** Time of reading, milliseconds. */
  readonly at: number
  /** Events beyond the position were received later, milliseconds. */
  readonly since: number
  /** By log id, in the order of partitions. */
  readonly logs: ReadonlyMap<string, readonly number[]>
}

/** Tolerance for receipts that are out of order, and for the clocks of gateways and consumers. */
const SLACK_MS = 30_000

interface Known {
  /** Events beyond the done offset were received later. Undefined until that is known. */
  through: number | undefined
  /** A watermark published earlier, which holds beyond the offset `at`. */
  said: { readonly at: number; readonly through: number } | undefined
}

/**
 * Makes positions from what consumers publish. They publish a watermark before they mark its block as done,
 * so it holds beyond the block that was open at that time.
 */
export class LogPositionReader {
  private readonly partitions = new Map<string, Known>()

  /**
   * @param at when the progress was read, milliseconds
   * @returns undefined until the blocks that were open at the first call are done
   */
  next(progress: readonly PartitionProgress[], at: number): LogPosition | undefined {
    const logs = new Map<string, number[]>()
    let since: number | undefined = at
    for (const row of progress) {
      const offsets = logs.get(row.logId) ?? []
      offsets[row.partition] = row.doneOffset
      logs.set(row.logId, offsets)
      if (row.drained) continue
      const through = this.through(row)
      since = since === undefined || through === undefined ? undefined : Math.min(since, through)
    }
    return since === undefined ? undefined : { at, since: since - SLACK_MS, logs }
  }

  private through(row: PartitionProgress): number | undefined {
    const key = `${row.logId} ${row.partition}`
    const known = this.partitions.get(key) ?? { through: undefined, said: undefined }
    this.partitions.set(key, known)
    const take = (): void => {
      if (known.said === undefined || row.doneOffset < known.said.at) return
      known.through = Math.max(known.through ?? known.said.through, known.said.through)
      known.said = undefined
    }
    take()
    const through = (row.watermark ?? row.logCreatedAt).getTime()
    known.said ??= { at: row.openTo ?? row.doneOffset, through }
    take()
    return known.through
  }
}

export function isSamePosition(a: LogPosition, b: LogPosition): boolean {
  return isWithin(a, b) && isWithin(b, a)
}

/** Whether everything before `a` is before `b`. */
export function isWithin(a: LogPosition, b: LogPosition): boolean {
  return [...a.logs].every(([logId, offsets]) => {
    const other = b.logs.get(logId)
    return other !== undefined && offsets.every((offset, partition) => offset <= (other[partition] ?? 0))
  })
}
