// Runs several files at a time.
import { availableParallelism } from 'node:os'

const CORES = Math.max(2, Math.min(4, availableParallelism()))

/** Brokers and chaos need a core each. */
export const LONG_JOBS = CORES
/** The fast tier fills the cores: most files wait for disks and time-outs. */
export const FAST_LIMITS = { load: CORES, tasks: 3 * CORES }

/** Runs what `next` returns, `jobs` at a time, until it returns undefined. */
export async function pool(jobs, next, work) {
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let task = next(); task !== undefined; task = next()) await work(task)
    }),
  )
}

/**
 * Runs all tasks in list order, each as soon as the cores have room. `loadOf` is the share of a core that a
 * task keeps busy; the sum stays below `load`, except for a single larger task. Only one task for which
 * `isExclusive` holds runs at a time.
 */
export async function fillCores(tasks, { load, tasks: most, loadOf, isExclusive }, work) {
  const waiting = [...tasks]
  const running = new Map()
  // Sums of fractions are not exact.
  const room = load + 1e-9
  const used = () => [...running.keys()].reduce((sum, task) => sum + loadOf(task), 0)
  const fits = (task) => {
    if (running.size === 0) return true
    if (running.size >= most || used() + loadOf(task) > room) return false
    return !isExclusive(task) || ![...running.keys()].some(isExclusive)
  }
  while (waiting.length > 0 || running.size > 0) {
    const at = waiting.findIndex(fits)
    if (at < 0) {
      await Promise.race(running.values())
      continue
    }
    const [task] = waiting.splice(at, 1)
    const ended = work(task).finally(() => running.delete(task))
    running.set(task, ended)
  }
}
