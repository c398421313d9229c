import type { PersonChanges, PersonSummary } from '../../postgres/tables/workspaces.js'
import type { Caller, Operation } from '../operation.js'
import {
  addPerson,
  changePerson,
  type Invitation,
  invitePerson,
  type NewPersonFields,
  type PersonTarget,
  removePerson,
} from './change-people.js'

/** The person that a change is about, and the caller, who makes it. */
const targetOf = ({ workspaceId, credential }: Caller, id: string): PersonTarget => ({
  workspaceId,
  id,
  by: credential.person.id,
})

/** An invitation, and the address of the console where it can be redeemed. */
export interface Invited {
  readonly consoleUrl: string
  readonly invitation: Invitation
}

/** Adds a person and invites them. @throws DomainError EMAIL_TAKEN */
export const createMember: Operation<
  Omit<NewPersonFields, 'id'> & Pick<Invited, 'consoleUrl'>,
  Invited & { readonly person: PersonSummary }
> = {
  action: 'person.create',

  async record(tx, caller, { consoleUrl, ...fields }) {
    const { services, workspaceId } = caller
    const now = new Date(services.now())
    const added = await addPerson(tx, workspaceId, { id: services.newId(), ...fields }, now)
    const { id } = added.result
    const { result: invitation } = await invitePerson(tx, services.secretKey, targetOf(caller, id), now)
    const person = { ...added.result, invitationExpiresAt: invitation.expiresAt }
    return { ...added, result: { person, consoleUrl, invitation } }
  },
}

/** @throws DomainError NOT_FOUND, LAST_OWNER, MISSING_PERMISSION */
export const updateMember: Operation<
  { readonly id: string; readonly changes: PersonChanges },
  PersonSummary
> = {
  action: 'person.update',
  record: (tx, caller, { id, changes }) => changePerson(tx, targetOf(caller, id), changes),
}

/** @throws DomainError NOT_FOUND, LAST_OWNER, MISSING_PERMISSION */
export const deleteMember: Operation<{ readonly id: string }, PersonSummary> = {
  action: 'person.delete',
  record: (tx, caller, { id }) => removePerson(tx, targetOf(caller, id), new Date(caller.services.now())),
}

/** A newer invitation ends the one before. @throws DomainError NOT_FOUND */
export const inviteMember: Operation<{ readonly id: string } & Pick<Invited, 'consoleUrl'>, Invited> = {
  action: 'person.invite',

  async record(tx, caller, { id, consoleUrl }) {
    const { secretKey, now } = caller.services
    const { result, audit } = await invitePerson(tx, secretKey, targetOf(caller, id), new Date(now()))
    return { result: { consoleUrl, invitation: result }, audit }
  },
}
