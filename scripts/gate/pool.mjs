// Several files at a time.
import { availableParallelism } from 'node:os'

const CORES = Math.max(2, Math.min(4, availableParallelism()))

/** Brokers and chaos want their core. */
export const LONG_JOBS = CORES
/** The fast tier fills the cores: most of its files wait for disks, time-outs and each other. */
export const FAST_LIMITS = { load: CORES, tasks: 3 * CORES }

/** Does what `next` gives, so many at a time, until it gives undefined. */
export async function pool(jobs, next, work) {
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let task = next(); task !== undefined; task = next()) await work(task)
    }),
  )
}

/**
 * Does all tasks, each as soon as the cores have room for it; those that come first in the list first. `loadOf` is how much of a core a task keeps busy, and no more than `load` is
 * under way, but for a task that alone takes more. Of those that are of the kind one runs at a time.
 */
export async function fillCores(tasks, { load, tasks: most, loadOf, isOfTheKind }, work) {
  const waiting = [...tasks]
  const running = new Map()
  // Sums of fractions are not exact.
  const room = load + 1e-9
  const used = () => [...running.keys()].reduce((sum, task) => sum + loadOf(task), 0)
  const fits = (task) => {
    if (running.size === 0) return true
    if (running.size >= most || used() + loadOf(task) > room) return false
    return !isOfTheKind(task) || ![...running.keys()].some(isOfTheKind)
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
