import { readFileSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

const BOOT_ID = '/proc/sys/kernel/random/boot_id'
const FILE = 'boot'
/** Where only the time of the start is known, clocks that are set count as another start when they move further. */
const SAME_START_MS = 10 * 60_000

/** What tells this start of the machine from every other one. */
function thisBoot(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim()
  } catch {
    return `since ${Math.round((Date.now() - uptime() * 1_000) / SAME_START_MS)}`
  }
}

/**
 * Whether the machine was started since a data directory was last said to be in order, so that what was written without waiting for the disk may be missing. `inOrder` says that it is.
 * A directory of a version that did not note it counts as such.
 */
export function detectReboot(dataDir: string): { readonly rebooted: boolean; acknowledge(): void } {
  const file = join(dataDir, FILE)
  const now = thisBoot()
  let before: string | undefined
  try {
    before = readFileSync(file, 'utf8').trim()
  } catch {
    // It is new, or a version before wrote it.
  }
  return {
    rebooted: before !== now,
    acknowledge() {
      if (before !== now) writeFileSync(file, `${now}\n`)
    },
  }
}
