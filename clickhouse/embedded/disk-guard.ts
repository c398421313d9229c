import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

const MAX_RESERVE_BYTES = 256 * 1024 ** 2
const RESERVED_SHARE = 0.1
const LOOK_MS = 200

/** Free bytes below which the engine begins no insert and no merge: a tenth of the disk, 256 MiB at most. */
export function reservedBytes(path: string): number {
  const { blocks, bsize } = statfsSync(path)
  return Math.min(MAX_RESERVE_BYTES, Math.floor(blocks * bsize * RESERVED_SHARE))
}

export interface DiskGuardActions {
  /** Cancels the merges that run, and keeps the parts that were merged. May run again. */
  stopMerges(): Promise<void>
  /** Loads the tables anew, so that parts that are not whole give way to those that they were merged from. */
  reloadTables(): Promise<void>
  startMerges(): Promise<void>
}

/**
 * The engine does not notice a write that fails because the disk is full: a merge puts an empty part in the
 * place of whole ones. So merges stop before the disk is full, and tables are loaded anew after it was.
 */
export class DiskGuard {
  private isLow = false
  private looking = false
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly path: string,
    private readonly reserveBytes: number,
    private readonly actions: DiskGuardActions,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref()
  }

  /** Never rejects: what fails is tried again at the next look. */
  async look(): Promise<void> {
    if (this.looking) return
    this.looking = true
    try {
      const { bavail, bsize } = await statfs(this.path)
      const freeBytes = bavail * bsize
      if (freeBytes < this.reserveBytes / 2) {
        if (!this.isLow) await this.actions.stopMerges()
        this.isLow = true
      } else if (this.isLow && freeBytes >= this.reserveBytes) {
        await this.actions.reloadTables()
        await this.actions.startMerges()
        this.isLow = false
      }
    } catch {
      // The engine may be closing.
    } finally {
      this.looking = false
    }
  }

  stop(): void {
    clearInterval(this.timer)
  }
}
