import type { Transaction } from '../../postgres/driver/client.js'
import { createKey, type KeySummary, lockKey, replaceKey } from '../../postgres/tables/keys.js'
import { findPerson } from '../../postgres/tables/workspaces.js'
import { DomainError, found } from '../domain-errors.js'
import type { Services } from '../services.js'

/** How long the old key goes on if no other time is named. */
export const GRACE_HOURS = 24
export const MAX_GRACE_HOURS = 720

export interface Rotation {
  readonly workspaceId: string
  readonly id: string
  readonly graceHours: number
}

/** A key with its text, which is shown once. */
export type IssuedKey = KeySummary & { readonly key: string }

/**
 * Makes a key like another, and ends the other after a while. The new key lasts as long as the old one was to
 * last, and never has a scope that its person has lost.
 *
 * @param check throws if the caller may not do this to the key
 * @throws DomainError NOT_FOUND, ILLEGAL_TRANSITION if the key has ended or was rotated before
 */
export async function rotateKey(
  tx: Transaction,
  { secretKey, now, newId }: Pick<Services, 'secretKey' | 'now' | 'newId'>,
  { workspaceId, id, graceHours }: Rotation,
  check: (key: KeySummary) => void = () => {},
): Promise<IssuedKey> {
  const old = found(await lockKey(tx, workspaceId, id), 'key')
  check(old)
  const at = now()
  const { expiresAt } = old
  if (old.revokedAt !== null) throw notRotatable('revoked')
  if (expiresAt !== null && expiresAt.getTime() <= at) throw notRotatable('expired')
  const person = found(await findPerson(tx, workspaceId, old.personId), 'person')
  const created = await createKey(tx, secretKey, {
    ...old,
    id: newId(),
    workspaceId,
    scopes:
      old.type === 'api'
        ? old.scopes.filter((scope) => person.permissions.some((permitted) => permitted === scope))
        : old.scopes,
    expiresAt: expiresAt === null ? undefined : new Date(at + expiresAt.getTime() - old.createdAt.getTime()),
    now: new Date(at),
  })
  const endsAt = new Date(at + graceHours * 3_600_000)
  if (!(await replaceKey(tx, { id, by: created.id, endsAt }))) throw notRotatable('rotated')
  return { ...found(await lockKey(tx, workspaceId, created.id), 'key'), key: created.key }
}

function notRotatable(status: string): DomainError {
  return new DomainError('ILLEGAL_TRANSITION', `The key was ${status} before: make a new one`, [
    { path: 'status', message: status },
    { path: 'action', message: 'rotate' },
  ])
}
