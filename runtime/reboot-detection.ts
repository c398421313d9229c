import { readFileSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

const BOOT_ID = '/proc/sys/kernel/random/boot_id'
const FILE = 'boot'
/** Without a boot id, a clock that is set by more than this counts as a reboot. */
const SAME_START_MS = 10 * 60_000

/** Identifies this boot of the machine. */
function thisBoot(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim()
  } catch {
    // Not Linux: the time of the start has to do.
    return `since ${Math.round((Date.now() - uptime() * 1_000) / SAME_START_MS)}`
  }
}

/**
 * Tells whether the machine has rebooted since `acknowledge` was last called for a data directory. Writes
 * that did not wait for the disk may then be missing. A new directory, or one of an older version, counts as
 * rebooted.
 */
export function detectReboot(dataDir: string): { readonly rebooted: boolean; acknowledge(): void } {
  const file = join(dataDir, FILE)
  const now = thisBoot()
  let before: string | undefined
  try {
    before = readFileSync(file, 'utf8').trim()
  } catch {
    // A new directory, or one of an older version.
  }
  return {
    rebooted: before !== now,
    acknowledge() {
      if (before !== now) writeFileSync(file, `${now}\n`)
    },
  }
}
