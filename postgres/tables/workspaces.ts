import { v7 as uuidv7 } from 'uuid'
import { type KeyScope, SCOPES, type Scope } from '../../domain/key.js'
import { ServiceError } from '../../runtime/errors.js'
import type { Sql, Transaction } from '../driver/client.js'

/**
 * Workspaces with their people, sessions and quotas. Callers write the audit entries. Ids are UUIDv7, and
 * `now` is the caller's clock.
 */
export type Queries = Sql | Transaction

export type WorkspaceErrorCode =
  | 'UNKNOWN_WORKSPACE'
  | 'UNKNOWN_PERSON'
  | 'UNKNOWN_KEY'
  | 'UNKNOWN_SESSION'
  | 'EMAIL_TAKEN'

/** The request names something that does not exist or is taken. The message is for people. */
export class WorkspaceError extends ServiceError<WorkspaceErrorCode> {
  constructor(code: WorkspaceErrorCode, message: string) {
    super(message, { code, retryable: false })
  }
}

export interface NewWorkspace {
  readonly id: string
  readonly name: string
  readonly personId: string
  readonly ownerName: string
  readonly ownerEmail: string
  readonly now: Date
}

export interface WorkspaceSummary {
  readonly id: string
  readonly name: string
  /** Of the owner. */
  readonly personId: string
}

export async function createWorkspace(sql: Queries, workspace: NewWorkspace): Promise<WorkspaceSummary> {
  const { id, name, personId, ownerName, ownerEmail, now } = workspace
  // One statement, so that a workspace always has an owner.
  await sql`
    with created as (
      insert into workspaces (id, name, created_at) values (${id}, ${name}, ${now}) returning id
    )
    insert into people (id, workspace_id, name, email, is_owner, created_at)
    select ${personId}, created.id, ${ownerName}, ${ownerEmail}, true, ${now} from created`
  return { id, name, personId }
}

/** Workspaces, oldest first. @param limit @default all */
export async function listWorkspaces(sql: Queries, limit?: number): Promise<WorkspaceSummary[]> {
  return await sql<WorkspaceSummary[]>`
    select w.id, w.name, p.id as "personId"
    from workspaces w
    join lateral (select id from people where workspace_id = w.id and is_owner and removed_at is null order by id limit 1) p on true
    order by w.id limit ${limit ?? null}`
}

export interface NewPerson {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly email: string
  readonly permissions: readonly Scope[]
  readonly now: Date
}

/** A person who was removed comes back with the same id, and without what they had. */
export async function createPerson(sql: Queries, person: NewPerson): Promise<{ id: string }> {
  const rows = await sql<{ id: string }[]>`
    insert into people as p (id, workspace_id, name, email, permissions, created_at)
    select ${person.id}, w.id, ${person.name}, ${person.email}, ${inOrder(person.permissions)}, ${person.now}
    from workspaces w where w.id = ${person.workspaceId}
    on conflict (workspace_id, lower(email)) do update
      set name = excluded.name, email = excluded.email, permissions = excluded.permissions,
        created_at = excluded.created_at, is_owner = false, removed_at = null
      where p.removed_at is not null
    returning id`
  if (rows[0] !== undefined) return { id: rows[0].id }
  await requireWorkspace(sql, person.workspaceId)
  throw new WorkspaceError('EMAIL_TAKEN', `the workspace already has a person with the email ${person.email}`)
}

export interface PersonSummary {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly owner: boolean
  /** All of them for an owner. */
  readonly permissions: readonly Scope[]
  readonly createdAt: Date
  /** When an invitation that was not used yet ends. */
  readonly invitationExpiresAt: Date | null
}

/** The people of a workspace, oldest first. */
export function listPeople(sql: Queries, workspaceId: string): Promise<PersonSummary[]> {
  return readPeople(sql, sql`p.workspace_id = ${workspaceId}`)
}

/** Undefined if the workspace has no such person. */
export async function findPerson(
  sql: Queries,
  workspaceId: string,
  id: string,
): Promise<PersonSummary | undefined> {
  return (await readPeople(sql, sql`p.workspace_id = ${workspaceId} and p.id = ${id}`))[0]
}

async function readPeople(sql: Queries, which: ReturnType<Sql>): Promise<PersonSummary[]> {
  const rows = await sql<(Omit<PersonSummary, 'permissions'> & { permissions: Scope[] })[]>`
    select p.id, p.name, p.email, p.is_owner as owner, p.permissions, p.created_at as "createdAt",
      i.expires_at as "invitationExpiresAt"
    from people p left join invitations i on i.person_id = p.id and i.expires_at > now()
    where ${which} and p.removed_at is null order by p.id`
  return rows.map((row) => ({ ...row, permissions: row.owner ? SCOPES : row.permissions }))
}

/**
 * Locks the owners of a workspace until the transaction ends: of several that demote one another, each sees
 * what the one before has left.
 *
 * @returns their ids
 */
export async function lockOwners(tx: Transaction, workspaceId: string): Promise<string[]> {
  const owners = await tx<{ id: string }[]>`
    select id from people where workspace_id = ${workspaceId} and is_owner and removed_at is null
    order by id for no key update`
  return owners.map(({ id }) => id)
}

export interface PersonChanges {
  readonly name?: string | undefined
  readonly permissions?: readonly Scope[] | undefined
  readonly owner?: boolean | undefined
}

/** Permissions of an owner, who has all, stay as they are. */
export async function updatePerson(tx: Transaction, id: string, changes: PersonChanges): Promise<void> {
  const { name, permissions, owner } = changes
  await tx`
    update people set name = coalesce(${name ?? null}, name),
      permissions = case when coalesce(${owner ?? null}, is_owner) then permissions
        else coalesce(${permissions === undefined ? null : inOrder(permissions)}::text[], permissions) end,
      is_owner = coalesce(${owner ?? null}, is_owner)
    where id = ${id}`
}

/** A trigger notifies all processes, so that the person's keys and sessions end at once. */
export async function markPersonRemoved(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx`update people set removed_at = ${now} where id = ${id}`
}

export interface PersonWithEmail {
  readonly id: string
  readonly workspaceId: string
  readonly removed: boolean
}

/** The people with an email address in any case, also removed ones. @param workspaceId @default any */
export async function findPeopleByEmail(
  tx: Transaction,
  email: string,
  workspaceId: string | undefined,
): Promise<PersonWithEmail[]> {
  return await tx<PersonWithEmail[]>`
    select id, workspace_id as "workspaceId", removed_at is not null as removed from people
    where lower(email) = lower(${email}) ${workspaceId === undefined ? tx`` : tx`and workspace_id = ${workspaceId}`}`
}

/** Makes the person's only invitation. */
export async function writeInvitation(
  tx: Transaction,
  invitation: { readonly personId: string; readonly codeHash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  const { personId, codeHash, expiresAt } = invitation
  await tx`
    insert into invitations (person_id, code_hash, expires_at) values (${personId}, ${codeHash}, ${expiresAt})
    on conflict (person_id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at`
}

export async function deleteInvitation(tx: Transaction, personId: string): Promise<void> {
  await tx`delete from invitations where person_id = ${personId}`
}

/** Used ones are deleted at once. */
export async function deleteEndedInvitations(sql: Sql, before: Date): Promise<void> {
  await sql`delete from invitations where expires_at < ${before}`
}

/** Uses an invitation up. @returns the person whom it lets in; undefined if it was used or has expired */
export async function takeInvitation(
  tx: Transaction,
  codeHash: Buffer,
  now: Date,
): Promise<{ readonly personId: string; readonly workspaceId: string } | undefined> {
  const rows = await tx<{ personId: string; workspaceId: string }[]>`
    delete from invitations i using people p
    where i.code_hash = ${codeHash} and i.expires_at > ${now} and p.id = i.person_id and p.removed_at is null
    returning i.person_id as "personId", p.workspace_id as "workspaceId"`
  return rows[0]
}

/** The current name of a person. Undefined if the workspace has no such person. */
export async function findPersonName(
  sql: Queries,
  workspaceId: string,
  id: string,
): Promise<string | undefined> {
  const rows = await sql<{ name: string }[]>`
    select name from people where workspace_id = ${workspaceId} and id = ${id}`
  return rows[0]?.name
}

export interface Revocation {
  readonly id: string
  readonly revokedAt: Date
  /** It was revoked before, and nothing changed. */
  readonly already: boolean
}

export interface Revoked {
  readonly workspaceId: string
  readonly id: string
  readonly now: Date
}

/** Used for keys and sessions. */
export async function revoke(
  sql: Queries,
  table: 'api_keys' | 'sessions',
  { workspaceId, id, now }: Revoked,
  unknown: 'UNKNOWN_KEY' | 'UNKNOWN_SESSION',
): Promise<Revocation> {
  const [revoked] = await sql<Revocation[]>`
    update ${sql(table)} set revoked_at = ${now} where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null
    returning id, revoked_at as "revokedAt", false as already`
  if (revoked !== undefined) return revoked
  const [known] = await sql<Revocation[]>`
    select id, revoked_at as "revokedAt", true as already from ${sql(table)} where workspace_id = ${workspaceId} and id = ${id}`
  if (known !== undefined) return known
  throw new WorkspaceError(
    unknown,
    `there is no ${unknown === 'UNKNOWN_KEY' ? 'key' : 'session'} ${id} in the workspace`,
  )
}

/** Revokes all keys, or all sessions, of a person. */
export async function revokeAllOf(
  sql: Queries,
  table: 'api_keys' | 'sessions',
  personId: string,
  now: Date,
): Promise<void> {
  await sql`update ${sql(table)} set revoked_at = ${now} where person_id = ${personId} and revoked_at is null`
}

export interface Quota {
  readonly workspaceId: string
  /** Events in a UTC day; null for no cap. */
  readonly dailyEvents: number | null
  /** The same for the exposures of keys that send nothing else; the events do not count them. */
  readonly dailyExposures: number | null
  /** For each server key; null for the service's default. */
  readonly requestsPerSecond: number | null
  readonly eventsPerSecond: number | null
}

/** Changes the given limits and returns all of them. */
export async function setQuota(
  sql: Queries,
  quota: { readonly workspaceId: string } & {
    readonly [limit in keyof Omit<Quota, 'workspaceId'>]?: number | null
  },
): Promise<Quota> {
  const { workspaceId, dailyEvents, dailyExposures, requestsPerSecond, eventsPerSecond } = quota
  const [changed] = await sql<Quota[]>`
    update workspaces set
      daily_events = case when ${dailyEvents !== undefined} then ${dailyEvents ?? null}::bigint else daily_events end,
      daily_exposures = case when ${dailyExposures !== undefined} then ${dailyExposures ?? null}::bigint else daily_exposures end,
      requests_per_second = case when ${requestsPerSecond !== undefined} then ${requestsPerSecond ?? null}::integer else requests_per_second end,
      events_per_second = case when ${eventsPerSecond !== undefined} then ${eventsPerSecond ?? null}::integer else events_per_second end
    where id = ${workspaceId}
    returning ${quotaColumns(sql)}`
  if (changed === undefined) throw unknownWorkspace(workspaceId)
  return changed
}

export async function findQuota(sql: Queries, workspaceId: string): Promise<Quota> {
  const [quota] = await sql<Quota[]>`select ${quotaColumns(sql)} from workspaces where id = ${workspaceId}`
  if (quota === undefined) throw unknownWorkspace(workspaceId)
  return quota
}

const quotaColumns = (sql: Queries) => sql`
  id as "workspaceId", daily_events::float8 as "dailyEvents", daily_exposures::float8 as "dailyExposures",
  requests_per_second as "requestsPerSecond", events_per_second as "eventsPerSecond"`

/** A new id, ordered by time of creation. */
export function newId(): string {
  return uuidv7()
}

/** The given person if the workspace has it, by default its owner. */
export async function resolvePerson(
  sql: Queries,
  workspaceId: string,
  personId: string | undefined,
): Promise<string> {
  const rows = await sql<{ id: string }[]>`
    select id from people
    where workspace_id = ${workspaceId} and ${personId === undefined ? sql`is_owner` : sql`id = ${personId}`}
      and removed_at is null
    order by id limit 1`
  if (rows[0] !== undefined) return rows[0].id
  await requireWorkspace(sql, workspaceId)
  throw new WorkspaceError('UNKNOWN_PERSON', `there is no person ${personId} in the workspace`)
}

async function requireWorkspace(sql: Queries, id: string): Promise<void> {
  const rows = await sql`select 1 from workspaces where id = ${id}`
  if (rows.length === 0) throw unknownWorkspace(id)
}

function unknownWorkspace(id: string): WorkspaceError {
  return new WorkspaceError('UNKNOWN_WORKSPACE', `there is no workspace ${id}`)
}

/** Each scope once, in the order of the contract. */
export function inOrder(scopes: readonly KeyScope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}
