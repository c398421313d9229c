import { createHmac } from 'node:crypto'
import { EXPOSURES_SCOPE, IMPORT_SCOPE, SCOPES, type Scope } from '../../domain/key.js'
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
    readonly dailyExposures: number | null
    readonly requestsPerSecond: number | null
    readonly eventsPerSecond: number | null
  }
  readonly person: {
    readonly id: string
    readonly name: string
    readonly email: string
    readonly owner: boolean
  }
  /**
   * The scopes of its writes: for a key, its own scopes that its person has too; for a session, the
   * permissions of its person.
   */
  readonly scopes: readonly Scope[]
  /** A server key that may only send exposures and read the serving state. */
  readonly exposuresOnly: boolean
  /** A server key that sends history, without the limits of live events. */
  readonly imports: boolean
  readonly expiresAt: Date | null
}

/** HMAC-SHA-256 of a key or token under the service's secret, as it is stored. */
export function hashCredential(secret: Uint8Array, key: string): Buffer {
  return createHmac('sha256', secret).update(key).digest()
}

/** Notified of every change of a credential: the hash in hex, or `workspace:ID` for all of a workspace. */
export const CREDENTIAL_CHANNEL = 'svc_credentials'

type CredentialRow = Omit<Credential, 'scopes'> & { scopes: Scope[] | null; permitted: Scope[] }

export async function findCredential(sql: Sql | Transaction, hash: Buffer): Promise<Credential | undefined> {
  return (await findCredentials(sql, [hash]))[0]
}

/** The live credentials of hashes, in their order. Undefined for one that is unknown, revoked or expired. */
export async function findCredentials(
  sql: Sql | Transaction,
  hashes: readonly Buffer[],
): Promise<(Credential | undefined)[]> {
  // The driver takes an array of buffers for a buffer.
  const texts = hashes.map((hash) => `\\x${hash.toString('hex')}`)
  const rows = await sql<CredentialRow[]>`
    select c.kind, c.id, c.name, c.hash, c.expires_at as "expiresAt",
      jsonb_build_object('id', w.id, 'name', w.name, 'dailyEvents', w.daily_events,
        'dailyExposures', w.daily_exposures, 'requestsPerSecond', w.requests_per_second, 'eventsPerSecond', w.events_per_second) as workspace,
      jsonb_build_object('id', p.id, 'name', p.name, 'email', p.email, 'owner', p.is_owner) as person,
      coalesce(c.kind = 'server' and ${EXPOSURES_SCOPE} = any(c.scopes), false) as "exposuresOnly",
      coalesce(c.kind = 'server' and ${IMPORT_SCOPE} = any(c.scopes), false) as imports,
      c.scopes, case when p.is_owner then ${[...SCOPES]}::text[] else p.permissions end as permitted
    from (
      select type as kind, id, name, key_hash as hash, scopes, expires_at, workspace_id, person_id
      from api_keys where key_hash = any(${texts}::bytea[]) and revoked_at is null
        and (expires_at is null or expires_at > now())
      union all
      select 'session', id, '', token_hash, null, expires_at, workspace_id, person_id
      from sessions where token_hash = any(${texts}::bytea[]) and revoked_at is null and expires_at > now()
    ) c
    join workspaces w on w.id = c.workspace_id
    join people p on p.id = c.person_id and p.removed_at is null`
  const found = new Map(
    rows.map(({ scopes, permitted, ...credential }): [string, Credential] => [
      credential.hash.toString('hex'),
      { ...credential, scopes: scopes?.filter((scope) => permitted.includes(scope)) ?? permitted },
    ]),
  )
  return hashes.map((hash) => found.get(hash.toString('hex')))
}

/** A key or session as it was issued, also one that has ended. */
export async function findIssued(
  sql: Sql | Transaction,
  hash: Buffer,
): Promise<
  | (Pick<Credential, 'kind' | 'id' | 'name'> & {
      readonly workspaceId: string
      readonly person: { readonly id: string; readonly name: string }
    })
  | undefined
> {
  const [row] = await sql`
    select c.kind, c.id, c.name, c.workspace_id as "workspaceId", jsonb_build_object('id', p.id, 'name', p.name) as person
    from (
      select type as kind, id, name, workspace_id, person_id from api_keys where key_hash = ${hash}
      union all
      select 'session', id, '', workspace_id, person_id from sessions where token_hash = ${hash}
    ) c
    join people p on p.id = c.person_id`
  return row as Awaited<ReturnType<typeof findIssued>>
}
