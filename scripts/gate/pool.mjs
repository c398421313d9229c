// Several files at a time.
import { availableParallelism } from 'node:os'

/** Engines wait for disks and each other: one job more than cores in the fast tier. Brokers and chaos want their core. */
export const jobsOf = (tier) => Math.max(2, Math.min(4, availableParallelism() + (tier === 'fast' ? 1 : 0)))

/** Takes from a list in its order, of those that are alone of their kind one at a time. `done` says that one has ended. */
export function oneOfAKind(waiting, isOfTheKind) {
  let busy = false
  return {
    next() {
      const at = waiting.findIndex((task) => !busy || !isOfTheKind(task))
      // Only such are left: whoever runs one goes on with the next.
      if (at < 0) return undefined
      const [task] = waiting.splice(at, 1)
      if (isOfTheKind(task)) busy = true
      return task
    },
    done(task) {
      if (isOfTheKind(task)) busy = false
    },
  }
}

/** Does what `next` gives, so many at a time, until it gives undefined. */
export async function pool(jobs, next, work) {
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let task = next(); task !== undefined; task = next()) await work(task)
    }),
  )
}
