import { reseal, seal, unseal } from '../../runtime/sealed-secret.js'
import type { Sql, Transaction } from '../driver/client.js'

/** Settings of a connected repository. */
export interface ConnectionSettings {
  readonly kind: 'local' | 'github'
  /** An absolute path, or `OWNER/NAME`. */
  readonly location: string
  readonly baseUrl: string | null
  /** Null for the host's default branch. */
  readonly branch: string | null
  /** Globs of guarded paths that may be written. */
  readonly allow: readonly string[]
  /** Path of the helper; null to detect it. */
  readonly helper: string | null
  /** Path at which the site receives exposures. */
  readonly exposures: string
}

export interface RepositoryRow extends ConnectionSettings {
  readonly workspaceId: string
  /** New for each connection. */
  readonly id: string
  readonly sealedToken: Uint8Array | null
  readonly sealedWebhookSecret: Uint8Array | null
}

export interface RepositoryConnection extends ConnectionSettings {
  readonly token: string | undefined
  readonly webhookSecret: string | undefined
}

export interface ConnectArguments {
  readonly id: string
  readonly workspaceId: string
  readonly now: Date
}

/** Connects a repository in place of the present one, whose pull requests stay as they are. */
export async function connectRepository(
  tx: Transaction,
  secretKey: Uint8Array,
  { id, workspaceId, now }: ConnectArguments,
  connection: RepositoryConnection,
): Promise<void> {
  const sealed = (purpose: string, text: string | undefined) =>
    text === undefined ? null : seal(secretKey, `${purpose} ${workspaceId}`, text)
  const row = {
    workspace_id: workspaceId,
    id,
    kind: connection.kind,
    location: connection.location,
    base_url: connection.baseUrl,
    branch: connection.branch,
    helper: connection.helper,
    exposures: connection.exposures,
    token: sealed('token', connection.token),
    webhook_secret: sealed('webhook', connection.webhookSecret),
    connected_at: now,
  }
  await tx`delete from repositories where workspace_id = ${workspaceId}`
  await tx`insert into repositories ${tx(row)}`
  await tx`update repositories set allow = ${[...connection.allow]}::text[] where workspace_id = ${workspaceId}`
}

/** Disconnects the repository. @returns whether there was one */
export async function disconnectRepository(sql: Sql | Transaction, workspaceId: string): Promise<boolean> {
  const rows = await sql`delete from repositories where workspace_id = ${workspaceId} returning id`
  return rows.length > 0
}

export async function findRepository(
  sql: Sql | Transaction,
  workspaceId: string,
): Promise<RepositoryRow | undefined> {
  const rows = await sql<RepositoryRow[]>`
    select workspace_id as "workspaceId", id, kind, location, base_url as "baseUrl", branch, allow, helper, exposures,
      token as "sealedToken", webhook_secret as "sealedWebhookSecret"
    from repositories where workspace_id = ${workspaceId}`
  return rows[0]
}

/** @throws UnsealError if the service's secret has changed */
export function tokenOf(row: RepositoryRow, secretKey: Uint8Array): string | undefined {
  return row.sealedToken === null ? undefined : unseal(secretKey, `token ${row.workspaceId}`, row.sealedToken)
}

/** @throws UnsealError if the service's secret has changed */
export function webhookSecretOf(row: RepositoryRow, secretKey: Uint8Array): string | undefined {
  return row.sealedWebhookSecret === null
    ? undefined
    : unseal(secretKey, `webhook ${row.workspaceId}`, row.sealedWebhookSecret)
}

/** Seals the tokens and webhook secrets again. @returns their number */
export async function resealRepositories(tx: Transaction, secretKey: Uint8Array): Promise<number> {
  const rows = await tx<{ workspaceId: string; token: Uint8Array | null; webhook: Uint8Array | null }[]>`
    select workspace_id as "workspaceId", token, webhook_secret as webhook from repositories
    where token is not null or webhook_secret is not null for update`
  for (const { workspaceId, token, webhook } of rows)
    await tx`
      update repositories set
        token = ${token && reseal(secretKey, `token ${workspaceId}`, token)},
        webhook_secret = ${webhook && reseal(secretKey, `webhook ${workspaceId}`, webhook)}
      where workspace_id = ${workspaceId}`
  return rows.reduce((sum, { token, webhook }) => sum + (token ? 1 : 0) + (webhook ? 1 : 0), 0)
}

/** The next number of a local repository, from 1. Locked until the transaction ends. */
export async function nextLocalNumber(tx: Transaction, location: string): Promise<number> {
  const rows = await tx<{ last: number }[]>`
    insert into local_pull_request_numbers (location, last) values (${location}, 1)
    on conflict (location) do update set last = local_pull_request_numbers.last + 1 returning last`
  return rows[0]?.last ?? 1
}

/** Milliseconds between two polls of a repository with open pull requests. */
export const POLL_MS = { local: 3_000, github: 60_000 } as const
/** Milliseconds until a failed poll is repeated, doubling with each failure. */
const FAILED_POLL = { initialIntervalMs: 3_000, maxIntervalMs: 60_000 } as const

export interface DuePoll {
  readonly workspaceId: string
  readonly repositoryId: string
  readonly token: string | null
  readonly round: string
}

/**
 * Claims due polls of repositories with open pull requests. Other processes get them again when the next one
 * is due.
 */
export async function takeDuePolls(sql: Sql, limit: number): Promise<DuePoll[]> {
  const rows = await sql<DuePoll[]>`
    update repositories r set next_poll_at = clock_timestamp()
      + (case r.kind when 'local' then ${POLL_MS.local}::int else ${POLL_MS.github}::int end) * interval '1 millisecond'
    where r.workspace_id = any(array(
      select d.workspace_id from repositories d
      where d.next_poll_at <= clock_timestamp()
        and exists (select from pull_requests p where p.workspace_id = d.workspace_id and p.state = 'open'
          and p.kind = d.kind and p.location = d.location)
      order by d.next_poll_at limit ${limit} for update skip locked))
    returning r.workspace_id as "workspaceId", r.id as "repositoryId", r.poll_token as token, r.poll_round as round`
  return [...rows]
}

/** Stores the result of a poll, unless what it looks for has changed since it began. */
export async function notePoll(sql: Sql, poll: DuePoll, token: string): Promise<void> {
  await sql`
    update repositories set poll_token = ${token}, failures = 0
    where workspace_id = ${poll.workspaceId} and id = ${poll.repositoryId} and poll_round = ${poll.round}`
}

/** @param retryAfterMs what the host asks for */
export async function noteFailedPoll(sql: Sql, poll: DuePoll, retryAfterMs = 0): Promise<void> {
  await sql`
    update repositories set failures = least(failures + 1, 20), next_poll_at = clock_timestamp()
      + greatest(${Math.min(retryAfterMs, 3_600_000)}::float8, least(${FAILED_POLL.initialIntervalMs}::float8 * power(2, failures),
        ${FAILED_POLL.maxIntervalMs}::float8)) * interval '1 millisecond'
    where workspace_id = ${poll.workspaceId} and id = ${poll.repositoryId}`
}

/** Requests a poll of a workspace's repository now, whatever the last one gave. */
export async function wantPoll(sql: Sql | Transaction, workspaceId: string): Promise<void> {
  await sql`
    update repositories set poll_round = poll_round + 1, poll_token = null, next_poll_at = clock_timestamp()
    where workspace_id = ${workspaceId}`
}
