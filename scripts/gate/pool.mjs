// Several files at a time.
import { availableParallelism } from 'node:os'

/** Engines wait for disks and each other: one job more than cores in the fast tier. Brokers and chaos want their core. */
export const jobsOf = (tier) => Math.max(2, Math.min(4, availableParallelism() + (tier === 'fast' ? 1 : 0)))

/** Does what `next` gives, so many at a time, until it gives undefined. */
export async function pool(jobs, next, work) {
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let task = next(); task !== undefined; task = next()) await work(task)
    }),
  )
}
