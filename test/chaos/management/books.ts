import type { Status } from '../../../domain/lifecycle.js'
import type { Sql } from '../../../postgres/driver/client.js'
import type { People } from './people.js'

export interface ExperimentBook {
  readonly id: string
  readonly key: string
  readonly origin: 'generated' | 'api'
  readonly runId: string | null
  readonly status: Status
  readonly rejectedStage: 'pr' | 'outcome' | null
  readonly settlesAt: Date | null
  /** Every text that a request writes together with the others. */
  readonly texts: readonly string[]
  readonly changes: number
  readonly variants: number
}

export interface AuditBook {
  readonly action: string
  readonly resource: string
  readonly summary: string
  /** Done by a request with a key; else by the service or an administrator. */
  readonly byRequest: boolean
}

export interface PullRequestBook {
  readonly experimentId: string
  readonly purpose: string
  readonly branch: string
  readonly baseCommit: string | null
  readonly number: number | null
  readonly state: 'writing' | 'open' | 'merged' | 'closed' | 'failed'
  readonly error: string | null
}

/** Content of Postgres and the repository once all jobs are done. */
export interface ManagementBooks {
  readonly experiments: readonly ExperimentBook[]
  readonly audit: readonly AuditBook[]
  readonly learnings: readonly {
    readonly id: string
    readonly experimentId: string
    readonly interpretation: string
  }[]
  readonly runs: readonly { readonly id: string; readonly status: string; readonly survived: number }[]
  readonly pullRequests: readonly PullRequestBook[]
  /** Commits by branch, after the one at which its pull request starts. */
  readonly branches: ReadonlyMap<string, number>
  /** Branches that people deleted. */
  readonly closed: ReadonlySet<string>
  readonly funnels: readonly {
    readonly id: string
    readonly name: string
    readonly texts: readonly string[]
  }[]
  /** Jobs that are open or have failed permanently. */
  readonly jobs: readonly OpenJob[]
}

export interface OpenJob {
  readonly queue: string
  readonly key: string
  readonly failed: boolean
  readonly error: string | null
}

export async function readManagementBooks(sql: Sql, people: People): Promise<ManagementBooks> {
  const experiments = await sql<ExperimentBook[]>`
    select id, key, origin, experiment_run_id as "runId", status, rejected_stage as "rejectedStage",
      settles_at as "settlesAt", jsonb_array_length(changes) as changes, jsonb_array_length(variants) as variants,
      array[name, hypothesis, notes]
        || case when origin = 'api'
          then array[conversion_targets -> 0 ->> 'name'] else array[]::text[] end as texts
    from experiments`
  const pullRequests = await sql<PullRequestBook[]>`
    select experiment_id as "experimentId", purpose, branch, base_commit as "baseCommit", number, state, error
    from pull_requests`
  const branches = new Map<string, number>()
  for (const branch of await people.branches()) {
    const base = pullRequests.find((row) => row.branch === branch)?.baseCommit
    branches.set(branch, base == null ? -1 : await people.commitsAfter(base, branch))
  }
  return {
    experiments,
    audit: await sql`
      select action, resource_id as resource, summary, actor_api_key_id is not null as "byRequest" from audit_entries`,
    learnings: await sql`select id, experiment_id as "experimentId", interpretation from learnings`,
    runs: await sql`select id, status, survived from generation_runs`,
    pullRequests,
    branches,
    closed: people.closed,
    funnels: await sql`
      select id, name, array[description, steps -> 0 ->> 'name'] as texts from funnels`,
    jobs: await openJobs(sql),
  }
}

/** Also hurries on: jobs of dead processes and jobs that wait for their next attempt are due now. */
export async function openJobs(sql: Sql): Promise<OpenJob[]> {
  // A living process renews its lease long before it comes to this.
  await sql`update jobs set locked_until = now() where locked_until < now() + interval '15 seconds'`
  await sql`
    update jobs set run_at = now()
    where lock_token is null and failed_at is null and attempt > 0 and run_at > now() + interval '2 seconds'`
  return sql<OpenJob[]>`
    select queue, key, failed_at is not null as failed, last_error as error from jobs`
}
