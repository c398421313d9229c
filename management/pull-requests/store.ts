import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { nextLocalNumber, type RepositoryRow, wantPoll } from '../../postgres/tables/repositories.js'
import type { Purpose, Subject } from '../experiments/pull-request-moves.js'
import type { PullRequest } from '../experiments/types.js'

type Queries = Sql | Transaction

/** A pull request as the service keeps it. */
export interface PullRequestRow extends Subject {
  readonly id: string
  readonly purpose: Purpose
  readonly kind: 'local' | 'github'
  readonly location: string
  readonly number: number | null
  readonly url: string | null
  readonly branch: string
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

export interface NewPullRequest extends Subject {
  readonly id: string
  readonly purpose: Purpose
  readonly branch: string
  /** Where it starts; null: at the head that the base branch has when it is written. */
  readonly baseCommit: string | null
  readonly personId: string | null
  readonly at: Date
}

/** Notes that one is to be written. False where the experiment has one of this purpose. */
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

/** Fixes where the branch starts, once: whoever tries again gets what was fixed. */
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

/** Taking an experiment out is tried again after it has failed; its code has failed for good. */
export function isToBeWritten({ state, purpose }: Pick<PullRequestRow, 'state' | 'purpose'>): boolean {
  return state === 'writing' || (state === 'failed' && purpose === 'cleanup')
}

/** The same, of rows. */
const toBeWritten = (sql: Queries) => sql`(state = 'writing' or (state = 'failed' and purpose = 'cleanup'))`

/** Notes that one is open, and has the watch look for it. Undefined where it is not being written any more. */
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

/** Notes why one cannot be written. Undefined where it is not to be written any more. A later try starts at the head that the base branch has then. */
export async function markFailed(
  tx: Transaction,
  row: PullRequestRow,
  error: string,
  at: Date,
): Promise<PullRequest | undefined> {
  const rows = await tx`
    update pull_requests set state = 'failed', error = ${error}, updated_at = ${at},
      base_commit = case when purpose = 'cleanup' then null else base_commit end
    where id = ${row.id} and ${toBeWritten(tx)} returning id`
  if (rows.length === 0) return undefined
  return { number: null, url: null, branch: row.branch, state: 'failed', error }
}

/** Notes that an open one is over. Undefined where somebody else has noted it. */
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

export async function noteHead(sql: Sql, row: PullRequestRow, head: string): Promise<void> {
  await sql`update pull_requests set head = ${head} where id = ${row.id} and state = 'open'`
}

/** Those of a repository that wait for people. */
export async function openPullRequests(
  sql: Sql,
  workspaceId: string,
  { kind, location }: Pick<RepositoryRow, 'kind' | 'location'>,
): Promise<PullRequestRow[]> {
  const rows = await sql<PullRequestRow[]>`
    select ${columns(sql)} from pull_requests
    where workspace_id = ${workspaceId} and state = 'open' and kind = ${kind} and location = ${location} order by id`
  return [...rows]
}

/** The name of a person, as it is now. */
export async function nameOfPerson(
  sql: Sql,
  workspaceId: string,
  id: string | null,
): Promise<string | undefined> {
  if (id === null) return undefined
  const rows = await sql<{ name: string }[]>`
    select name from people where workspace_id = ${workspaceId} and id = ${id}`
  return rows[0]?.name
}
