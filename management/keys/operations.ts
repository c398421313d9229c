import type { KeyScope } from '../../domain/key.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import {
  countLiveKeys,
  createKey,
  findKey,
  type KeySummary,
  type KeyType,
  listKeys,
  lockKey,
  revokeKey,
} from '../../postgres/tables/keys.js'
import { DomainError, found, ownerRequired, validationFailed } from '../domain-errors.js'
import type { Operation } from '../operation.js'
import type { Services } from '../services.js'
import { type IssuedKey, type Rotation, rotateKey } from './rotate-key.js'

const DAY_MS = 86_400_000
/** All of them are listed at once. */
const MAX_LIVE_KEYS = 1_000

export interface NewKeyInput {
  readonly type: KeyType
  readonly name: string
  readonly scopes?: readonly KeyScope[]
  readonly expiresInDays?: number
}

/** Throws MISSING_PERMISSION for a scope that the person lacks, and for a type that only owners make. */
export const issueKey: Operation<NewKeyInput, IssuedKey> = {
  action: 'key.create',

  async record(tx, { services, workspaceId, credential }, input) {
    const { type, name, scopes = [], expiresInDays } = input
    if (type !== 'api') requireOwner(credential)
    else requireScopes(credential, scopes)
    if ((await countLiveKeys(tx, workspaceId)) >= MAX_LIVE_KEYS)
      throw validationFailed([
        { path: '', message: `is too many: a workspace has at most ${MAX_LIVE_KEYS} keys, so revoke some` },
      ])
    const at = services.now()
    const created = await createKey(tx, services.secretKey, {
      id: services.newId(),
      workspaceId,
      personId: credential.person.id,
      type,
      name,
      scopes,
      expiresAt: expiresInDays === undefined ? undefined : new Date(at + expiresInDays * DAY_MS),
      now: new Date(at),
    })
    const key = found(await lockKey(tx, workspaceId, created.id), 'key')
    return {
      result: { ...key, key: created.key },
      audit: { resourceId: key.id, summary: `Created the key ${JSON.stringify(name)}` },
    }
  },
}

/** Throws NOT_FOUND, MISSING_PERMISSION, ILLEGAL_TRANSITION. */
export const replaceKeyByNew: Operation<Omit<Rotation, 'workspaceId'>, IssuedKey> = {
  action: 'key.rotate',

  async record(tx, { services, workspaceId, credential }, input) {
    const rotation = { workspaceId, ...input }
    const key = await rotateKey(tx, services, rotation, (old) => requireManager(credential, old))
    const summary = `Rotated the key ${JSON.stringify(key.name)}: ${key.id} takes its place`
    return { result: key, audit: { resourceId: input.id, summary } }
  },
}

/** To revoke a key again changes nothing. Throws NOT_FOUND, MISSING_PERMISSION. */
export const endKey: Operation<{ readonly id: string }, void> = {
  action: 'key.delete',

  async record(tx, { services, workspaceId, credential }, { id }) {
    const key = found(await lockKey(tx, workspaceId, id), 'key')
    requireManager(credential, key)
    const { already } = await revokeKey(tx, { workspaceId, id, now: new Date(services.now()) })
    const summary = `Revoked the key ${JSON.stringify(key.name)}`
    return { result: undefined, audit: already ? undefined : { resourceId: id, summary } }
  },
}

/** The keys that a person sees: an owner all of the workspace, others their own. Newest first. */
export async function visibleKeys({ sql }: Services, credential: Credential): Promise<KeySummary[]> {
  const { workspace, person } = credential
  return (await listKeys(sql, workspace.id, person.owner ? undefined : person.id)).reverse()
}

/** One of the `visibleKeys`. Throws NOT_FOUND. */
export async function visibleKey(
  { sql }: Services,
  { workspace, person }: Credential,
  id: string,
): Promise<KeySummary> {
  const key = await findKey(sql, workspace.id, id)
  return found(person.owner || key?.personId === person.id ? key : undefined, 'key')
}

/** Owners manage all keys, others their own API keys. */
function requireManager(credential: Credential, key: KeySummary): void {
  if (key.type !== 'api' || key.personId !== credential.person.id) requireOwner(credential)
}

function requireOwner(credential: Credential): void {
  if (!credential.person.owner) throw ownerRequired()
}

function requireScopes({ scopes }: Credential, wanted: readonly KeyScope[]): void {
  const missing = wanted.filter((scope) => !scopes.some((own) => own === scope))
  if (missing.length === 0) return
  throw new DomainError(
    'MISSING_PERMISSION',
    `You lack ${missing.join(', ')}: a key can have only scopes that you have`,
    missing.map((scope) => ({ path: scope, message: 'is required: ask an owner of the workspace for it' })),
  )
}
