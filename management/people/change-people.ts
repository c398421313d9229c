import { randomBytes } from 'node:crypto'
import { formatKey, type Scope } from '../../domain/key.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { hashCredential } from '../../postgres/tables/credentials.js'
import {
  createPerson,
  deleteInvitation,
  findPerson,
  lockOwners,
  markPersonRemoved,
  type PersonChanges,
  type PersonSummary,
  revokeAllOf,
  updatePerson,
  WorkspaceError,
  writeInvitation,
} from '../../postgres/tables/workspaces.js'
import { changedFields, inWords } from '../audit.js'
import { DomainError, found, ownerRequired } from '../domain-errors.js'

/*
 * Changes of people, for the API and for operators. Each runs in the caller's transaction and returns what
 * the audit entry says.
 */

const INVITATION_MS = 7 * 86_400_000

interface Change<Result> {
  readonly result: Result
  /** Undefined if nothing changed. */
  readonly audit: { readonly resourceId: string; readonly summary: string } | undefined
}

/** The person to change. Owners are locked, so that each change sees what the one before has left. */
export interface PersonTarget {
  readonly workspaceId: string
  readonly id: string
  /** The owner who does it; undefined for an operator. */
  readonly by?: string | undefined
}

export interface NewPersonFields {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly permissions: readonly Scope[]
}

/** @throws DomainError EMAIL_TAKEN */
export async function addPerson(
  tx: Transaction,
  workspaceId: string,
  fields: NewPersonFields,
  now: Date,
): Promise<Change<PersonSummary>> {
  const { id } = await createPerson(tx, { ...fields, workspaceId, now }).catch((error: unknown) => {
    if (!(error instanceof WorkspaceError) || error.code !== 'EMAIL_TAKEN') throw error
    throw new DomainError('EMAIL_TAKEN', error.message, [{ path: '/email', message: 'is taken' }])
  })
  // Of a person who was removed and comes back.
  await endAccess(tx, id, now)
  const person = found(await findPerson(tx, workspaceId, id), 'person')
  return { result: person, audit: { resourceId: id, summary: `Added ${nameOf(person)}` } }
}

/** @throws DomainError NOT_FOUND, LAST_OWNER, MISSING_PERMISSION if the caller is no owner any more */
export async function changePerson(
  tx: Transaction,
  target: PersonTarget,
  changes: PersonChanges,
): Promise<Change<PersonSummary>> {
  const before = await lockTarget(tx, target, changes.owner === false)
  await updatePerson(tx, before.id, changes)
  const after = found(await findPerson(tx, target.workspaceId, before.id), 'person')
  const changed = changedFields(before, after)
  const summary = `Changed ${inWords(changed)} of ${nameOf(before)}`
  return { result: after, audit: changed.length === 0 ? undefined : { resourceId: before.id, summary } }
}

/** Ends what the person has at once. @throws DomainError as `changePerson` */
export async function removePerson(
  tx: Transaction,
  target: PersonTarget,
  now: Date,
): Promise<Change<PersonSummary>> {
  const person = await lockTarget(tx, target, true)
  await markPersonRemoved(tx, person.id, now)
  await endAccess(tx, person.id, now)
  return { result: person, audit: { resourceId: person.id, summary: `Removed ${nameOf(person)}` } }
}

export interface Invitation {
  /** Signs the person in once. */
  readonly code: string
  readonly expiresAt: Date
}

/** Makes an invitation in place of an earlier one. @throws DomainError NOT_FOUND */
export async function invitePerson(
  tx: Transaction,
  secretKey: Uint8Array,
  { workspaceId, id }: PersonTarget,
  now: Date,
): Promise<Change<Invitation>> {
  const person = found(await findPerson(tx, workspaceId, id), 'person')
  const code = formatKey('once', randomBytes(64))
  const expiresAt = new Date(now.getTime() + INVITATION_MS)
  await writeInvitation(tx, { personId: id, codeHash: hashCredential(secretKey, code), expiresAt })
  return { result: { code, expiresAt }, audit: { resourceId: id, summary: `Invited ${nameOf(person)}` } }
}

/** Locks a person until the transaction ends, with the owners. @throws DomainError NOT_FOUND */
export async function lockPerson(tx: Transaction, workspaceId: string, id: string): Promise<PersonSummary> {
  await lockOwners(tx, workspaceId)
  return found(await findPerson(tx, workspaceId, id), 'person')
}

/** @param demotes whether an owner would be one no longer */
async function lockTarget(
  tx: Transaction,
  { workspaceId, id, by }: PersonTarget,
  demotes: boolean,
): Promise<PersonSummary> {
  const owners = await lockOwners(tx, workspaceId)
  const person = found(await findPerson(tx, workspaceId, id), 'person')
  if (demotes && owners.length === 1 && owners[0] === id)
    throw new DomainError(
      'LAST_OWNER',
      `${person.name} is the last owner of the workspace: make another person an owner first`,
    )
  if (by !== undefined && !owners.includes(by)) throw ownerRequired()
  return person
}

async function endAccess(tx: Transaction, personId: string, now: Date): Promise<void> {
  await revokeAllOf(tx, 'api_keys', personId, now)
  await revokeAllOf(tx, 'sessions', personId, now)
  await deleteInvitation(tx, personId)
}

const nameOf = ({ name, email }: PersonSummary): string => `${name} (${email})`
