import { randomBytes } from 'node:crypto'
import { formatKey } from '../../domain/key.js'
import type { Sql } from '../driver/client.js'
import { type PageOfRows, readPage } from '../driver/read-page.js'
import { hashCredential } from './credentials.js'
import {
  deleteEndedInvitations,
  type Queries,
  type Revocation,
  type Revoked,
  resolvePerson,
  revoke,
} from './workspaces.js'

export const IDLE_DAYS = 30
/** A browser signs in again after this time, however often it was used. */
export const BROWSER_SESSION_DAYS = 90
/** How long sessions and invitations are kept after their end. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

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
export function createSession(
  sql: Queries,
  secretKey: Uint8Array,
  session: NewSession,
): Promise<CreatedSession> {
  return insertSession(sql, secretKey, session, { endsAt: null, userAgent: null })
}

/** Creates the session of a browser: 30 days, moved by each use, 90 days in all. */
export function createBrowserSession(
  sql: Queries,
  secretKey: Uint8Array,
  session: Omit<NewSession, 'expiresAt'>,
  userAgent: string,
): Promise<CreatedSession> {
  const now = session.now.getTime()
  return insertSession(
    sql,
    secretKey,
    { ...session, expiresAt: new Date(now + IDLE_DAYS * DAY_MS) },
    { endsAt: new Date(now + BROWSER_SESSION_DAYS * DAY_MS), userAgent },
  )
}

async function insertSession(
  sql: Queries,
  secretKey: Uint8Array,
  session: NewSession,
  { endsAt, userAgent }: { readonly endsAt: Date | null; readonly userAgent: string | null },
): Promise<CreatedSession> {
  const personId = await resolvePerson(sql, session.workspaceId, session.personId)
  const token = formatKey('session', session.random ?? randomBytes(64))
  await sql`
    insert into sessions (id, workspace_id, person_id, token_hash, last4, created_at, expires_at, ends_at, user_agent)
    values (${session.id}, ${session.workspaceId}, ${personId}, ${hashCredential(secretKey, token)},
      ${token.slice(-4)}, ${session.now}, ${session.expiresAt}, ${endsAt}, ${userAgent})`
  return { id: session.id, token, expiresAt: session.expiresAt }
}

export interface SessionSummary {
  readonly id: string
  readonly personId: string
  readonly last4: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

/** The sessions of a workspace, ended ones too, oldest first. */
export async function listSessions(sql: Queries, workspaceId: string): Promise<SessionSummary[]> {
  return await sql<SessionSummary[]>`
    select id, person_id as "personId", last4, created_at as "createdAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", revoked_at as "revokedAt"
    from sessions where workspace_id = ${workspaceId} order by id`
}

export interface OwnSession {
  readonly id: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** Moves with each use of a browser's session. */
  readonly expiresAt: Date
  /** The latest time that `expiresAt` can reach. */
  readonly endsAt: Date
  /** Null for a token for scripts. */
  readonly userAgent: string | null
}

export interface SessionOwner {
  readonly workspaceId: string
  readonly personId: string
  readonly now: Date
}

const ownColumns = (sql: Sql) => sql`
  id, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt",
  coalesce(ends_at, expires_at) as "endsAt", user_agent as "userAgent"`
const openSessionsOf = (sql: Sql, { workspaceId, personId, now }: SessionOwner) => sql`
  sessions where workspace_id = ${workspaceId} and person_id = ${personId}
    and revoked_at is null and expires_at > ${now}`

/** The sessions of a person that have not ended, newest first. */
export function listOwnSessions(
  sql: Sql,
  owner: SessionOwner,
  page: { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<OwnSession>> {
  return readPage(sql, ownColumns(sql), openSessionsOf(sql, owner), 'created_at', page)
}

/** Undefined if it is not the person's, or has ended. */
export async function findOwnSession(
  sql: Sql,
  owner: SessionOwner,
  id: string,
): Promise<OwnSession | undefined> {
  const rows = await sql<OwnSession[]>`
    select ${ownColumns(sql)} from ${openSessionsOf(sql, owner)} and id = ${id}`
  return rows[0]
}

/** Ends a session at once. A trigger notifies every process of the API. */
export function revokeSession(sql: Queries, session: Revoked): Promise<Revocation> {
  return revoke(sql, 'sessions', session, 'UNKNOWN_SESSION')
}

/** Ends a session of a person. @returns false if they have no such session, or it has ended */
export async function revokeOwnSession(
  sql: Queries,
  { workspaceId, personId, id, now }: Revoked & { readonly personId: string },
): Promise<boolean> {
  const { count } = await sql`
    update sessions set revoked_at = ${now}
    where workspace_id = ${workspaceId} and person_id = ${personId} and id = ${id}
      and revoked_at is null and expires_at > ${now}`
  return count > 0
}

/** Deletes the sessions and invitations that ended more than 30 days ago. Their audit entries stay. */
export async function removeEndedSessions(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS)
  await sql`delete from sessions where least(expires_at, revoked_at) < ${before}`
  await deleteEndedInvitations(sql, before)
}

/**
 * Stores when sessions were last used, and moves the end of browsers' sessions.
 *
 * @param used ids of sessions with the time in milliseconds since 1970
 */
export async function writeSessionUse(
  sql: Sql,
  used: readonly (readonly [id: string, at: number])[],
): Promise<void> {
  const ids = used.map(([id]) => id)
  const times = used.map(([, at]) => new Date(at).toISOString())
  await sql`
    update sessions set last_used_at = greatest(last_used_at, used.at),
      expires_at = case when ends_at is null then expires_at
        else greatest(expires_at, least(ends_at, used.at + make_interval(days => ${IDLE_DAYS}))) end
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
    where sessions.id = used.id and sessions.expires_at > used.at`
}
