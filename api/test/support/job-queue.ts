import { Registry } from 'prom-client'
import { JobMetrics } from '../../../management/jobs/metrics.js'
import { JobQueue } from '../../../management/jobs/queue.js'
import { JOB_NAMES } from '../../../management/jobs/queues.js'
import type { Sql } from '../../../postgres/driver/client.js'
import { createLogger } from '../../../runtime/logger.js'

export interface TestQueue {
  readonly jobs: JobQueue
  /** The value of a metric now, of the name there is. */
  metric(name: string, labels?: Record<string, string>): Promise<number>
}

/** The job queue as one process has it, stopped when the test ends. */
export async function openTestQueue(
  t: { teardown(fn: () => unknown): unknown },
  sql: Sql,
): Promise<TestQueue> {
  const registry = new Registry()
  const metrics = new JobMetrics(registry)
  const jobs = await JobQueue.open({ sql, logger: createLogger('silent', 'jobs test'), metrics })
  t.teardown(() => jobs.stop())
  return {
    jobs,
    async metric(name, labels = {}) {
      await metrics.refresh(sql, JOB_NAMES)
      const found = await registry.getSingleMetric(name)?.get()
      const fits = found?.values.filter(({ labels: own }) =>
        Object.entries(labels).every(([key, value]) => (own as Record<string, unknown>)[key] === value),
      )
      return fits?.[0]?.value ?? 0
    },
  }
}
