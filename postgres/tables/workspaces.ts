import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { EXPOSURES_SCOPE, formatKey, type KeyScope, SCOPES, type Scope } from '../../domain/key.js'
import { ServiceError } from '../../runtime/errors.js'
import type { Sql, Transaction } from '../driver/client.js'
import { hashCredential } from './credentials.js'

/**
 * Administration of workspaces, people, keys, sessions and quotas beside the API. It writes no audit entries,
 * because those name a person of the workspace. Ids are UUIDv7, and `now` is the caller's clock.
 */
type Queries = Sql | Transaction

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

/** All workspaces, oldest first. */
export async function listWorkspaces(sql: Queries): Promise<WorkspaceSummary[]> {
  return await sql<WorkspaceSummary[]>`
    select w.id, w.name, p.id as "personId"
    from workspaces w
    join lateral (select id from people where workspace_id = w.id and is_owner order by id limit 1) p on true
    order by w.id`
}

export interface NewPerson {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly email: string
  readonly permissions: readonly Scope[]
  readonly now: Date
}

export async function createPerson(sql: Queries, person: NewPerson): Promise<{ id: string }> {
  const rows = await sql<{ id: string }[]>`
    insert into people (id, workspace_id, name, email, permissions, created_at)
    select ${person.id}, w.id, ${person.name}, ${person.email}, ${inOrder(person.permissions)}, ${person.now}
    from workspaces w where w.id = ${person.workspaceId}
    on conflict (workspace_id, lower(email)) do nothing
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
}

/** The people of a workspace, oldest first. */
export async function listPeople(sql: Queries, workspaceId: string): Promise<PersonSummary[]> {
  const rows = await sql<(Omit<PersonSummary, 'permissions'> & { permissions: Scope[] })[]>`
    select id, name, email, is_owner as owner, permissions, created_at as "createdAt"
    from people where workspace_id = ${workspaceId} order by id`
  return rows.map((row) => ({ ...row, permissions: row.owner ? SCOPES : row.permissions }))
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

export const KEY_TYPES = ['api', 'server', 'publishable'] as const
export type KeyType = (typeof KEY_TYPES)[number]

export interface NewKey {
  readonly id: string
  readonly workspaceId: string
  /** @default the owner of the workspace */
  readonly personId?: string | undefined
  readonly type: KeyType
  readonly name: string
  /**
   * Of an API key what it may write, at most what its person may; `exposures.send` restricts a server key.
   * Others are ignored.
   */
  readonly scopes: readonly KeyScope[]
  readonly now: Date
  /** At least 64 random bytes. @default made here */
  readonly random?: Uint8Array
}

export interface CreatedKey {
  readonly id: string
  /** The key itself. Only its hash is stored, so it cannot be shown again. */
  readonly key: string
  readonly type: KeyType
  readonly scopes: readonly KeyScope[]
  readonly personId: string
}

export async function createKey(sql: Queries, secretKey: Uint8Array, key: NewKey): Promise<CreatedKey> {
  const personId = await resolvePerson(sql, key.workspaceId, key.personId)
  const text = formatKey(key.type, key.random ?? randomBytes(64))
  const scopes =
    key.type === 'api'
      ? inOrder(key.scopes)
      : key.scopes.filter((scope) => key.type === 'server' && scope === EXPOSURES_SCOPE)
  await sql`
    insert into api_keys (id, workspace_id, person_id, type, name, scopes, key_hash, last4, created_at)
    values (${key.id}, ${key.workspaceId}, ${personId}, ${key.type}, ${key.name}, ${scopes},
      ${hashCredential(secretKey, text)}, ${text.slice(-4)}, ${key.now})`
  return { id: key.id, key: text, type: key.type, scopes, personId }
}

export const PLATFORMS = { api: 'Api', server: 'Server', publishable: 'Browser' } as const

export interface KeySummary {
  readonly id: string
  readonly name: string
  readonly type: KeyType
  readonly platform: (typeof PLATFORMS)[KeyType]
  readonly scopes: readonly KeyScope[]
  readonly personId: string
  readonly last4: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** The keys of a workspace, revoked ones too, oldest first. */
export async function listKeys(sql: Queries, workspaceId: string): Promise<KeySummary[]> {
  const keys = await sql<Omit<KeySummary, 'platform'>[]>`
    select id, name, type, scopes, person_id as "personId", last4, created_at as "createdAt",
      last_used_at as "lastUsedAt", revoked_at as "revokedAt"
    from api_keys where workspace_id = ${workspaceId} order by id`
  return keys.map(({ id, name, type, ...rest }) => ({ id, name, type, platform: PLATFORMS[type], ...rest }))
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

/** Revokes a key at once and for good. A trigger notifies the gateways. */
export function revokeKey(sql: Queries, key: Revoked): Promise<Revocation> {
  return revoke(sql, 'api_keys', key, 'UNKNOWN_KEY')
}

export function revokeSession(sql: Queries, session: Revoked): Promise<Revocation> {
  return revoke(sql, 'sessions', session, 'UNKNOWN_SESSION')
}

async function revoke(
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

/**
 * Stores when keys were last used.
 *
 * @param used ids of keys with the time in milliseconds since 1970
 */
export async function writeKeyUse(
  sql: Sql,
  used: readonly (readonly [id: string, at: number])[],
): Promise<void> {
  const ids = used.map(([id]) => id)
  const times = used.map(([, at]) => new Date(at).toISOString())
  await sql`
    update api_keys set last_used_at = greatest(last_used_at, used.at)
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
    where api_keys.id = used.id`
}

export interface NewSession {
  readonly id: string
  readonly workspaceId: string
  /** @default the owner of the workspace */
  readonly personId?: string | undefined
  readonly expiresAt: Date
  readonly now: Date
  /** At least 64 random bytes. @default made here */
  readonly random?: Uint8Array
}

export interface CreatedSession {
  readonly id: string
  /** The token itself. Only its hash is stored, so it cannot be shown again. */
  readonly token: string
  readonly expiresAt: Date
}

/** Creates a session with the person's permissions, valid until `expiresAt`. */
export async function createSession(
  sql: Queries,
  secretKey: Uint8Array,
  session: NewSession,
): Promise<CreatedSession> {
  const personId = await resolvePerson(sql, session.workspaceId, session.personId)
  const token = formatKey('session', session.random ?? randomBytes(64))
  await sql`
    insert into sessions (id, workspace_id, person_id, token_hash, last4, created_at, expires_at)
    values (${session.id}, ${session.workspaceId}, ${personId}, ${hashCredential(secretKey, token)},
      ${token.slice(-4)}, ${session.now}, ${session.expiresAt})`
  return { id: session.id, token, expiresAt: session.expiresAt }
}

export interface SessionSummary {
  readonly id: string
  readonly personId: string
  readonly last4: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

/** The sessions of a workspace, ended ones too, oldest first. */
export async function listSessions(sql: Queries, workspaceId: string): Promise<SessionSummary[]> {
  return await sql<SessionSummary[]>`
    select id, person_id as "personId", last4, created_at as "createdAt", expires_at as "expiresAt",
      revoked_at as "revokedAt"
    from sessions where workspace_id = ${workspaceId} order by id`
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
    returning id as "workspaceId", daily_events::float8 as "dailyEvents",
      daily_exposures::float8 as "dailyExposures", requests_per_second as "requestsPerSecond", events_per_second as "eventsPerSecond"`
  if (changed === undefined) throw unknownWorkspace(workspaceId)
  return changed
}

/** A new id, ordered by time of creation. */
export function newId(): string {
  return uuidv7()
}

/** The given person if the workspace has it, by default its owner. */
async function resolvePerson(
  sql: Queries,
  workspaceId: string,
  personId: string | undefined,
): Promise<string> {
  const rows = await sql<{ id: string }[]>`
    select id from people
    where workspace_id = ${workspaceId} and ${personId === undefined ? sql`is_owner` : sql`id = ${personId}`}
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
function inOrder(scopes: readonly KeyScope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}
