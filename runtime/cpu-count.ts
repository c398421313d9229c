import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Where Linux says how much of a period a group of processes may run: the second version of control groups, and the first. */
const QUOTA_FILES = [
  ['/sys/fs/cgroup/cpu.max'],
  ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'],
] as const

/**
 * How many processors this process may use: those it is let run on, or fewer where its container has a quota, which Node 20 does not look at.
 *
 * @param read the text of a file; throws where there is none
 */
export function availableCpus(
  present = availableParallelism(),
  read = (path: string): string => readFileSync(path, 'latin1'),
): number {
  for (const files of QUOTA_FILES)
    try {
      const [quota, period] = files.map(read).join(' ').trim().split(/\s+/).map(Number)
      // `max`, or -1: without a bound.
      if (quota !== undefined && period !== undefined && quota > 0 && period > 0)
        return Math.min(present, Math.max(1, Math.round(quota / period)))
    } catch {
      // Another version, or another system.
    }
  return present
}
