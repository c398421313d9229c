import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** The processor quota of a container: control groups version 2, then version 1. */
const QUOTA_FILES = [
  ['/sys/fs/cgroup/cpu.max'],
  ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'],
] as const

/**
 * Processors that this process may use. Counts the quota of a container, which Node 20 ignores.
 *
 * @param read returns the text of a file; throws if it does not exist
 */
export function availableCpus(
  present = availableParallelism(),
  read = (path: string): string => readFileSync(path, 'latin1'),
): number {
  for (const files of QUOTA_FILES)
    try {
      const [quota, period] = files.map(read).join(' ').trim().split(/\s+/).map(Number)
      // `max`, or -1, means no quota.
      if (quota !== undefined && period !== undefined && quota > 0 && period > 0)
        return Math.min(present, Math.max(1, Math.round(quota / period)))
    } catch {
      // The file is missing: another version of control groups, or not Linux.
    }
  return present
}
