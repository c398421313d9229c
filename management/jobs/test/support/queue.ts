import { Registry } from 'prom-client'
import type { Sql } from '../../../../postgres/driver/client.js'
import { newId } from '../../../../postgres/tables/workspaces.js'
import { createLogger } from '../../../../runtime/logger.js'
import type { Services } from '../../../services.js'
import type { JobDefinition } from '../../definition.js'
import { JobQueue, type JobQueueOptions } from '../../job-queue.js'
import { JobMetrics } from '../../metrics.js'

export interface TestQueue {
  readonly jobs: JobQueue
  /** Begins to carry out what the queue was opened with. */
  work(services?: Partial<Services>): void
  /** The value of a metric now, of the name there is. */
  metric(name: string, labels?: Record<string, string>): Promise<number | undefined>
}

/** The job queue as one process has it, stopped when the test ends. */
export async function openTestQueue(
  t: { teardown(fn: () => unknown): unknown },
  sql: Sql,
  definitions: readonly JobDefinition[],
  more: Partial<JobQueueOptions> = {},
): Promise<TestQueue> {
  const registry = new Registry()
  const metrics = new JobMetrics(registry)
  const logger = createLogger('silent', 'jobs test')
  const jobs = new JobQueue({ sql, logger, metrics, definitions, ...more })
  t.teardown(() => jobs.stop())
  return {
    jobs,
    work(services = {}) {
      const own = {
        sql,
        jobs,
        logger,
        log: undefined,
        settlingHours: 24,
        resultsMaxAgeSeconds: 5,
        now: Date.now,
        newId,
      }
      // Jobs of these tests ask ClickHouse for nothing.
      jobs.work({ ...own, ...services } as Services)
    },
    async metric(name, labels = {}) {
      const names = definitions.map((definition) => definition.name)
      // Tests that take Postgres away read the other metrics.
      await metrics.refresh(sql, names).catch(() => {})
      const found = await registry.getSingleMetric(name)?.get()
      const fits = found?.values.filter(({ labels: own }) =>
        Object.entries(labels).every(([key, value]) => (own as Record<string, unknown>)[key] === value),
      )
      return fits?.[0]?.value
    },
  }
}
