import type { PartitionProgress } from '../../postgres/tables/log-progress.js'

/**
 * What was stored at a moment: of each log the first offset of each event partition that may not be. Blocks
 * of different partitions are stored in any order, so no time and no id of an event says as much: between two
 * positions lies each event exactly once.
 */
export interface LogPosition {
  /** When it was read, milliseconds. */
  readonly at: number
  /** All that lies beyond was received later, milliseconds. */
  readonly since: number
  /** First offsets that may not be stored by log id, in the order of partitions. */
  readonly logs: ReadonlyMap<string, readonly number[]>
}

/**
 * Receipts along a partition are nearly in order, and the clocks of gateways and consumers agree within this:
 * what is received by a slower one would be passed over.
 */
const SLACK_MS = 30_000

interface Known {
  /** What lies beyond the offset that is done was received later; undefined while nobody can tell. */
  through: number | undefined
  /** Said at an earlier moment, and true of what lies beyond `at`. */
  said: { readonly at: number; readonly through: number } | undefined
}

/**
 * Makes positions of what the consumers publish. They say through which time a partition is stored before
 * they mark the block as done, so what they say counts from the mark of the block on that was open then.
 */
export class LogPositionReader {
  private readonly partitions = new Map<string, Known>()

  /**
   * @param at when the progress was read, milliseconds
   * @returns undefined while the time of what lies beyond is not known: until the blocks that were open at
   * the first call are done
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

/** Whether nothing lies between two positions. */
export function isSamePosition(a: LogPosition, b: LogPosition): boolean {
  return isWithin(a, b) && isWithin(b, a)
}

/** Whether all that lies before `a` lies before `b`. */
export function isWithin(a: LogPosition, b: LogPosition): boolean {
  return [...a.logs].every(([logId, offsets]) => {
    const other = b.logs.get(logId)
    return other !== undefined && offsets.every((offset, partition) => offset <= (other[partition] ?? 0))
  })
}
