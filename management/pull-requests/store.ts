import { SETTLED } from '../../domain/lifecycle.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { nextLocalNumber, type RepositoryRow, wantPoll } from '../../postgres/tables/repositories.js'
import { BRANCH_FOLDER } from '../../repositories/names.js'
import type { ExperimentRow, PullRequest } from '../experiments/index.js'

type Queries = Sql | Transaction

/**
 * `pr` brings an experiment in, `cleanup` removes its code, `repair` puts back what a cleanup took away from
 * others.
 */
export type Purpose = 'pr' | 'cleanup' | 'repair'

export interface PullRequestRow {
  readonly id: string
  readonly workspaceId: string
  readonly experimentId: string
  readonly purpose: Purpose
  readonly kind: 'local' | 'github'
  readonly location: string
  readonly number: number | null
  readonly url: string | null
  readonly branch: string
  /** The commit at which the branch starts. Null if that is the head of the base branch when the job runs. */
  readonly baseCommit: string | null
  readonly commit: string | null
  readonly head: string | null
  readonly operation: string
  readonly state: 'writing' | 'open' | 'merged' | 'closed' | 'failed'
  readonly error: string | null
  readonly personId: string | null
  readonly createdAt: Date
}

const columns = (sql: Queries) => sql`
  id, workspace_id as "workspaceId", experiment_id as "experimentId", purpose, kind, location, number, url, branch,
  base_commit as "baseCommit", commit, head, operation, state, error, person_id as "personId", created_at as "createdAt"`

export interface NewPullRequest
  extends Pick<
    PullRequestRow,
    'id' | 'workspaceId' | 'experimentId' | 'purpose' | 'branch' | 'personId' | 'baseCommit'
  > {
  readonly at: Date
}

/** The branch of an experiment's pull request. */
export function pullRequestBranch(key: string, purpose: Purpose): string {
  return `${BRANCH_FOLDER}/${key}${purpose === 'pr' ? '' : `-${purpose}`}`
}

/** False if the experiment has one of this purpose. */
export async function insertPullRequest(
  tx: Transaction,
  { kind, location }: Pick<RepositoryRow, 'kind' | 'location'>,
  row: NewPullRequest,
): Promise<boolean> {
  const rows = await tx`
    insert into pull_requests (id, workspace_id, experiment_id, purpose, kind, location, branch, base_commit, operation, state, person_id,
      created_at, updated_at)
    values (${row.id}, ${row.workspaceId}, ${row.experimentId}, ${row.purpose}, ${kind}, ${location}, ${row.branch},
      ${row.baseCommit}, ${`${row.purpose}/${row.id}`}, 'writing', ${row.personId}, ${row.at}, ${row.at})
    on conflict on constraint pull_requests_purpose do nothing returning id`
  return rows.length > 0
}

export async function findPullRequest(
  sql: Queries,
  experimentId: string,
  purpose: Purpose,
): Promise<PullRequestRow | undefined> {
  const rows = await sql<PullRequestRow[]>`
    select ${columns(sql)} from pull_requests where experiment_id = ${experimentId} and purpose = ${purpose}`
  return rows[0]
}

/** The texts of an experiment's pull requests in Markdown, by purpose. */
export async function findPullRequestBodies(
  sql: Sql,
  { id, pullRequest }: Pick<ExperimentRow, 'id' | 'pullRequest'>,
): Promise<Partial<Record<Purpose, string>>> {
  if (pullRequest === null) return {}
  const rows = await sql<{ purpose: Purpose; body: string }[]>`
    select purpose, body from pull_requests where experiment_id = ${id} and body is not null`
  return Object.fromEntries(rows.map(({ purpose, body }) => [purpose, body]))
}

/** Fixes where the branch starts. A later attempt gets the commit of the first one. */
export async function fixBase(sql: Sql, id: string, commit: string): Promise<string> {
  const rows = await sql<{ base: string }[]>`
    update pull_requests set base_commit = coalesce(base_commit, ${commit}) where id = ${id} returning base_commit as base`
  return rows[0]?.base ?? commit
}

export interface Opened {
  readonly number: number | null
  readonly url: string | null
  readonly commit: string
  readonly head: string
  readonly title: string
  readonly body: string
}

/** A failed cleanup or repair is tried again. A failed experiment is not. */
export function isToBeWritten({ state, purpose }: Pick<PullRequestRow, 'state' | 'purpose'>): boolean {
  return state === 'writing' || (state === 'failed' && purpose !== 'pr')
}

/** `isToBeWritten` as a condition. */
const toBeWritten = (sql: Queries) => sql`(state = 'writing' or (state = 'failed' and purpose <> 'pr'))`

/** Records an open pull request and schedules a poll. Undefined if it is not to be written. */
export async function markOpen(
  tx: Transaction,
  row: PullRequestRow,
  opened: Opened,
  at: Date,
): Promise<PullRequest | undefined> {
  const current = await tx`select from pull_requests where id = ${row.id} and ${toBeWritten(tx)} for update`
  if (current.length === 0) return undefined
  const number = opened.number ?? (row.kind === 'local' ? await nextLocalNumber(tx, row.location) : null)
  await tx`
    update pull_requests set state = 'open', number = ${number}, url = ${opened.url}, commit = ${opened.commit}, head = ${opened.head},
      title = ${opened.title}, body = ${opened.body}, error = null, updated_at = ${at}
    where id = ${row.id}`
  await wantPoll(tx, row.workspaceId)
  return { number, url: opened.url, branch: row.branch, state: 'open', error: null }
}

/** Undefined if it is not to be written any more. All but `pr` start from the head when tried again. */
export async function markFailed(
  tx: Transaction,
  row: PullRequestRow,
  error: string,
  at: Date,
): Promise<PullRequest | undefined> {
  const rows = await tx`
    update pull_requests set state = 'failed', error = ${error}, updated_at = ${at},
      base_commit = case when purpose = 'pr' then base_commit end
    where id = ${row.id} and ${toBeWritten(tx)} returning id`
  if (rows.length === 0) return undefined
  return { number: null, url: null, branch: row.branch, state: 'failed', error }
}

/** Undefined if its end was recorded before. */
export async function markEnded<State extends 'merged' | 'closed'>(
  tx: Transaction,
  row: PullRequestRow,
  ended: { readonly state: State; readonly head: string; readonly mergeCommit: string | undefined },
  at: Date,
): Promise<(PullRequest & { readonly state: State }) | undefined> {
  const { state, head, mergeCommit } = ended
  const rows = await tx<{ number: number | null; url: string | null }[]>`
    update pull_requests set state = ${state}, head = ${head}, merge_commit = ${mergeCommit ?? null}, updated_at = ${at}
    where id = ${row.id} and state = 'open' returning number, url`
  const known = rows[0]
  return known && { number: known.number, url: known.url, branch: row.branch, state, error: null }
}

export async function updateHead(sql: Sql, row: PullRequestRow, head: string): Promise<void> {
  await sql`update pull_requests set head = ${head} where id = ${row.id} and state = 'open'`
}

/** False, and nothing changed, if it has ended or was written again in the meantime. */
export async function markRewritten(
  tx: Transaction,
  row: PullRequestRow,
  { base, commit, title, body }: Pick<Opened, 'commit' | 'title' | 'body'> & { readonly base: string },
  at: Date,
): Promise<boolean> {
  const { count } = await tx`
    update pull_requests set base_commit = ${base}, commit = ${commit}, head = ${commit}, title = ${title}, body = ${body},
      updated_at = ${at}
    where id = ${row.id} and state = 'open' and commit = ${row.commit}`
  return count === 1
}

export async function openPullRequests(
  sql: Queries,
  workspaceId: string,
  { kind, location }: Pick<RepositoryRow, 'kind' | 'location'>,
): Promise<PullRequestRow[]> {
  const rows = await sql<PullRequestRow[]>`
    select ${columns(sql)} from pull_requests
    where workspace_id = ${workspaceId} and state = 'open' and kind = ${kind} and location = ${location} order by id`
  return [...rows]
}

export interface HelperUse {
  readonly experimentId: string
  readonly key: string
  readonly path: string
  /** False if the code may not be in the base branch yet. */
  readonly isMerged: boolean
}

/** The files in which experiments in flight, but not that of `row`, use the helper by their pull requests. */
export async function findHelperUses(
  sql: Sql,
  { workspaceId, experimentId, kind, location }: PullRequestRow,
): Promise<HelperUse[]> {
  return [
    ...(await sql<HelperUse[]>`
    select distinct e.id as "experimentId", e.key, c.path, p.state = 'merged' as "isMerged" from pull_requests p join experiments e on e.id = p.experiment_id,
      jsonb_to_recordset(e.changes) as c (path text, edits jsonb)
    where p.workspace_id = ${workspaceId} and p.purpose = 'pr' and p.kind = ${kind} and p.location = ${location}
      and p.state in ('writing', 'open', 'merged') and p.experiment_id <> ${experimentId}
      and e.status <> all(${[...SETTLED]}) and c.edits @? '$[*].variant'`),
  ]
}

/** Days after its merge in which a cleanup may be repaired. */
const REPAIR_DAYS = 30

/** Merged cleanups without a repair, newest first. None while the repository has an open repair. */
export async function findRepairable(
  sql: Sql,
  workspaceId: string,
  { kind, location }: Pick<RepositoryRow, 'kind' | 'location'>,
): Promise<PullRequestRow[]> {
  const inRepository = sql`workspace_id = ${workspaceId} and kind = ${kind} and location = ${location}`
  return [
    ...(await sql<PullRequestRow[]>`
    select ${columns(sql)} from pull_requests
    where ${inRepository} and purpose = 'cleanup' and state = 'merged'
      and updated_at > now() - make_interval(days => ${REPAIR_DAYS})
      and experiment_id not in (select experiment_id from pull_requests where ${inRepository} and purpose = 'repair')
      and not exists (
        select from pull_requests where ${inRepository} and purpose = 'repair' and state in ('writing', 'open'))
    order by updated_at desc limit 10`),
  ]
}

/** Whether a pull request belongs to a repository. */
export function isIn(
  row: Pick<PullRequestRow, 'kind' | 'location'>,
  { kind, location }: Pick<RepositoryRow, 'kind' | 'location'>,
): boolean {
  return row.kind === kind && row.location === location
}
