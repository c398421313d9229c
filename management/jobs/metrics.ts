import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Sql } from '../../postgres/driver/client.js'
import { JOB_SCHEMA } from './jobs-table.js'

export const JOB_STATES = ['waiting', 'due', 'retrying', 'running', 'failed'] as const

/** What the job queue counts. Names and labels are stable. */
export class JobMetrics {
  private readonly runs: Counter<'name' | 'outcome'>
  private readonly seconds: Histogram<'name'>
  private readonly jobs: Gauge<'name' | 'state'>
  private readonly lateness: Gauge<'name'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.runs = new Counter({
      name: 'svc_job_runs_total',
      help: 'Jobs carried out by this process: done, failed (for now or for good), lost to another process, or given back as this one ended',
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
      help: 'Jobs in Postgres: waiting for their time, due, to be tried again, running, or failed for good',
      labelNames: ['name', 'state'],
      registers,
    })
    this.lateness = new Gauge({
      name: 'svc_jobs_oldest_due_seconds',
      help: 'How long the oldest job that is due has been so; 0 where none is',
      labelNames: ['name'],
      registers,
    })
  }

  observe(name: string, outcome: 'done' | 'failed' | 'lost' | 'given-back', seconds: number): void {
    this.runs.inc({ name, outcome })
    this.seconds.observe({ name }, seconds)
  }

  /** Counts what is in Postgres; between two calls the figures stand still, so reading them never waits for it. */
  async refresh(sql: Sql, names: readonly string[]): Promise<void> {
    const rows = await sql<
      { name: string; state: (typeof JOB_STATES)[number]; jobs: number; late: number }[]
    >`
      select name, jobs.state, count(*)::int as jobs,
        coalesce(extract(epoch from now() - min(start_after) filter (where start_after < now())), 0)::float8 as late
      from ${sql(JOB_SCHEMA)}.job, lateral (select case state
        when 'created' then case when start_after < now() then 'due' else 'waiting' end
        when 'retry' then 'retrying' when 'active' then 'running' else 'failed' end as state) as jobs
      where job.state not in ('completed', 'cancelled')
      group by name, jobs.state`
    for (const name of names) {
      const own = rows.filter((row) => row.name === name)
      for (const state of JOB_STATES)
        this.jobs.set({ name, state }, own.find((row) => row.state === state)?.jobs ?? 0)
      const overdue = own.filter(({ state }) => state === 'due' || state === 'retrying')
      this.lateness.set({ name }, Math.max(0, ...overdue.map((row) => row.late)))
    }
  }
}
