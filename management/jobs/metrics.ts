import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Sql } from '../../postgres/driver/client.js'
import { countJobs, JOB_STATES } from './jobs-table.js'

/** Label values are stable, so the old word for a released job stays. */
export type JobOutcome = 'done' | 'failed' | 'lost' | 'given-back'

/** Metrics of the job queue. Names and labels are stable. */
export class JobMetrics {
  private readonly runs: Counter<'name' | 'outcome'>
  private readonly seconds: Histogram<'name'>
  private readonly jobs: Gauge<'name' | 'state'>
  private readonly lateness: Gauge<'name'>
  private readonly errors: Counter<'operation'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.runs = new Counter({
      name: 'svc_job_runs_total',
      help: 'Jobs that this process ran: done, failed (for now or for good), lost to another process, or given back at its end',
      labelNames: ['name', 'outcome'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'svc_job_seconds',
      help: 'Time a job takes',
      labelNames: ['name'],
      buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300],
      registers,
    })
    this.jobs = new Gauge({
      name: 'svc_jobs',
      help: 'Jobs in Postgres: waiting for their time, due, to be retried, running, or failed for good. Absent if they cannot be counted',
      labelNames: ['name', 'state'],
      registers,
    })
    this.lateness = new Gauge({
      name: 'svc_jobs_oldest_due_seconds',
      help: 'How long the oldest due job has been due; 0 if none is. Absent if that is not known',
      labelNames: ['name'],
      registers,
    })
    this.errors = new Counter({
      name: 'svc_job_queue_errors_total',
      help: 'Statements of the job queue that failed, by operation: claim, poll, maintain, count or wait',
      labelNames: ['operation'],
      registers,
    })
  }

  observe(name: string, outcome: JobOutcome, seconds: number): void {
    this.runs.inc({ name, outcome })
    this.seconds.observe({ name }, seconds)
  }

  countError(operation: string): void {
    this.errors.inc({ operation })
  }

  /** Counts the jobs in Postgres. The gauges keep their values until the next call, absent if it fails. */
  async refresh(sql: Sql, names: readonly string[]): Promise<void> {
    const counts = await countJobs(sql).catch((error: unknown) => {
      this.jobs.reset()
      this.lateness.reset()
      throw error
    })
    for (const name of names) {
      const own = counts.filter((count) => count.name === name)
      for (const state of JOB_STATES)
        this.jobs.set({ name, state }, own.find((count) => count.state === state)?.jobs ?? 0)
      const overdue = own.filter(({ state }) => state === 'due' || state === 'retrying')
      this.lateness.set({ name }, Math.max(0, ...overdue.map(({ lateSeconds }) => lateSeconds)))
    }
  }
}
