import { randomBytes } from 'node:crypto'
import { EXPOSURES_SCOPE, formatKey, IMPORT_SCOPE, type KeyScope } from '../../domain/key.js'
import type { Sql, Transaction } from '../driver/client.js'
import { hashCredential } from './credentials.js'
import { inOrder, type Queries, type Revocation, type Revoked, resolvePerson, revoke } from './workspaces.js'

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
  /** @default never */
  readonly expiresAt?: Date | undefined
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
      : key.scopes.filter(
          (scope) => key.type === 'server' && (scope === EXPOSURES_SCOPE || scope === IMPORT_SCOPE),
        )
  await sql`
    insert into api_keys (id, workspace_id, person_id, type, name, scopes, key_hash, last4, created_at, expires_at)
    values (${key.id}, ${key.workspaceId}, ${personId}, ${key.type}, ${key.name}, ${scopes},
      ${hashCredential(secretKey, text)}, ${text.slice(-4)}, ${key.now}, ${key.expiresAt ?? null})`
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
  readonly personName: string
  readonly last4: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

const MAX_LISTED = 2_000
/** Keys of one name that an error can list. */
const MAX_CALLED = 10
const isLive = (sql: Queries) => sql`(revoked_at is null and (expires_at is null or expires_at > now()))`

/**
 * The keys of a workspace, oldest first: the live ones, and of those that have ended the newest, at most
 * 2,000 in all.
 *
 * @param personId only those of this person
 */
export function listKeys(sql: Queries, workspaceId: string, personId?: string): Promise<KeySummary[]> {
  const ofPerson = personId === undefined ? sql`` : sql`and person_id = ${personId}`
  const shown = sql`
    select id from api_keys where workspace_id = ${workspaceId} ${ofPerson}
    order by ${isLive(sql)} desc, id desc limit ${MAX_LISTED}`
  return readKeys(sql, sql`where k.id in (${shown}) order by k.id`)
}

/** Locks the workspace, so that of two keys made at once the second counts the first. */
export async function countLiveKeys(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select from workspaces where id = ${workspaceId} for no key update`
  const [row] = await tx<{ keys: number }[]>`
    select count(*)::int as keys from api_keys where workspace_id = ${workspaceId} and ${isLive(tx)}`
  return row?.keys ?? 0
}

/** Locked until the transaction ends. Undefined if the workspace has no such key. */
export async function lockKey(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<KeySummary | undefined> {
  await tx`select from api_keys where workspace_id = ${workspaceId} and id = ${id} for no key update`
  return findKey(tx, workspaceId, id)
}

/** Undefined if the workspace has no such key. */
export async function findKey(
  sql: Queries,
  workspaceId: string,
  id: string,
): Promise<KeySummary | undefined> {
  return (await readKeys(sql, sql`where k.workspace_id = ${workspaceId} and k.id = ${id}`))[0]
}

/** The keys of a workspace with this id, name or last four characters. */
export function findKeysCalled(sql: Queries, workspaceId: string, called: string): Promise<KeySummary[]> {
  return readKeys(
    sql,
    sql`where k.workspace_id = ${workspaceId}
      and (k.id::text = lower(${called}) or k.name = ${called} or k.last4 = ${called})
      order by k.id limit ${MAX_CALLED}`,
  )
}

async function readKeys(sql: Queries, which: ReturnType<Sql>): Promise<KeySummary[]> {
  const keys = await sql<Omit<KeySummary, 'platform'>[]>`
    select k.id, k.name, k.type, k.scopes, k.person_id as "personId", p.name as "personName", k.last4,
      k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt",
      k.revoked_at as "revokedAt"
    from api_keys k join people p on p.id = k.person_id ${which}`
  return keys.map(({ id, name, type, ...rest }) => ({ id, name, type, platform: PLATFORMS[type], ...rest }))
}

/**
 * Lets a key end when another has taken its place. It never lives longer than before.
 *
 * @returns false if another key has taken its place already
 */
export async function replaceKey(
  tx: Transaction,
  { id, by, endsAt }: { readonly id: string; readonly by: string; readonly endsAt: Date },
): Promise<boolean> {
  const { count } = await tx`
    update api_keys set replaced_by = ${by}, expires_at = least(expires_at, ${endsAt})
    where id = ${id} and replaced_by is null`
  return count === 1
}

/** Revokes a key at once and for good. A trigger notifies the gateways. */
export function revokeKey(sql: Queries, key: Revoked): Promise<Revocation> {
  return revoke(sql, 'api_keys', key, 'UNKNOWN_KEY')
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
