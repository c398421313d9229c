import { createHmac } from 'node:crypto'
import { SCOPES, type Scope } from '../../domain/key.js'
import type { Sql, Transaction } from '../driver/client.js'

/** A stored key or session token that is neither revoked nor expired. */
export interface Credential {
  readonly kind: 'api' | 'server' | 'publishable' | 'session'
  readonly id: string
  readonly name: string
  readonly hash: Buffer
  readonly workspace: {
    readonly id: string
    readonly name: string
    readonly dailyEvents: number | null
    readonly requestsPerSecond: number | null
    readonly eventsPerSecond: number | null
  }
  readonly person: { readonly id: string; readonly name: string; readonly email: string }
  /**
   * What it may write: for a key, its own scopes that its person has too; for a session, the permissions of
   * its person.
   */
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
}

/** HMAC-SHA-256 of a key or token under the service's secret, as it is stored. */
export function hashCredential(secret: Uint8Array, key: string): Buffer {
  return createHmac('sha256', secret).update(key).digest()
}

/** Notified of every change of a credential: the hash in hex, or `workspace:ID` for all of a workspace. */
export const CREDENTIAL_CHANNEL = 'svc_credentials'

interface CredentialRow {
  kind: Credential['kind']
  id: string
  name: string
  hash: Buffer
  scopes: Scope[] | null
  expires_at: Date | null
  workspace_id: string
  workspace_name: string
  daily_events: string | null
  requests_per_second: number | null
  events_per_second: number | null
  person_id: string
  person_name: string
  email: string
  is_owner: boolean
  permissions: Scope[]
}

/** The live credential of a hash. Undefined if it is unknown, revoked or expired. */
export async function findCredential(sql: Sql | Transaction, hash: Buffer): Promise<Credential | undefined> {
  const rows = await sql<CredentialRow[]>`
    select c.kind, c.id, c.name, c.hash, c.scopes, c.expires_at,
      w.id as workspace_id, w.name as workspace_name, w.daily_events, w.requests_per_second, w.events_per_second,
      p.id as person_id, p.name as person_name, p.email, p.is_owner, p.permissions
    from (
      select type as kind, id, name, key_hash as hash, scopes, null::timestamptz as expires_at, workspace_id, person_id
      from api_keys where key_hash = ${hash} and revoked_at is null
      union all
      select 'session', id, '', token_hash, null, expires_at, workspace_id, person_id
      from sessions where token_hash = ${hash} and revoked_at is null and expires_at > now()
    ) c
    join workspaces w on w.id = c.workspace_id
    join people p on p.id = c.person_id`
  const row = rows[0]
  if (row === undefined) return undefined
  const permitted = row.is_owner ? SCOPES : row.permissions
  return {
    kind: row.kind,
    id: row.id,
    name: row.name,
    hash: row.hash,
    workspace: {
      id: row.workspace_id,
      name: row.workspace_name,
      dailyEvents: row.daily_events === null ? null : Number(row.daily_events),
      requestsPerSecond: row.requests_per_second,
      eventsPerSecond: row.events_per_second,
    },
    person: { id: row.person_id, name: row.person_name, email: row.email },
    scopes: row.scopes === null ? permitted : row.scopes.filter((scope) => permitted.includes(scope)),
    expiresAt: row.expires_at,
  }
}
