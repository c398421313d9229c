import { nameProblem, normalizeName } from '../../domain/name.js'
import type { Transaction } from '../../postgres/driver/client.js'
import type { CreatedSession } from '../../postgres/tables/sessions.js'
import {
  createPerson,
  findPeopleByEmail,
  listWorkspaces,
  WorkspaceError,
} from '../../postgres/tables/workspaces.js'
import { auditByService } from '../audit.js'
import type { IdentityProvider, SignInRefusal, VerifiedIdentity } from './identity-provider.js'
import { openSession, type SessionStore, type SignIn } from './open-session.js'

const MAX_EMAIL = 254
const MAX_NAME = 200

/**
 * Opens a session of the person with a verified email address. A person who was removed is not made anew.
 *
 * @returns why not, if no person has the address
 */
export async function signInIdentity(
  store: SessionStore,
  provider: IdentityProvider,
  identity: VerifiedIdentity,
  request: Pick<SignIn, 'userAgent' | 'requestId'>,
): Promise<CreatedSession | SignInRefusal> {
  const open = async (tx: Transaction): Promise<CreatedSession | SignInRefusal> => {
    const person = await personOf(tx, store, provider, identity)
    if (typeof person === 'string') return person
    return await openSession(tx, store, { ...person, ...request, how: `with ${provider.name}` })
  }
  try {
    return await store.sql.begin(open)
  } catch (error) {
    // Another request has made the same person meanwhile.
    if (error instanceof WorkspaceError && error.code === 'EMAIL_TAKEN') return await store.sql.begin(open)
    throw error
  }
}

async function personOf(
  tx: Transaction,
  store: SessionStore,
  { settings, name: providerName }: IdentityProvider,
  { email, name }: VerifiedIdentity,
): Promise<Pick<SignIn, 'workspaceId' | 'personId'> | SignInRefusal> {
  const known = await findPeopleByEmail(tx, email, settings.workspaceId)
  const active = known.filter(({ removed }) => !removed)
  const [person] = active
  if (active.length > 1) return 'ambiguous'
  if (person !== undefined) return { workspaceId: person.workspaceId, personId: person.id }
  if (settings.unknown === 'refuse' || known.length > 0 || email.length > MAX_EMAIL) return 'unknown'
  const workspaces = (await listWorkspaces(tx)).filter(
    ({ id }) => settings.workspaceId === undefined || id === settings.workspaceId,
  )
  const [workspace] = workspaces
  if (workspace === undefined) return 'unknown'
  if (workspaces.length > 1) return 'ambiguous'
  const personId = store.newId()
  const workspaceId = workspace.id
  const now = new Date(store.now())
  await createPerson(tx, {
    id: personId,
    workspaceId,
    name: nameOf(name, email),
    email,
    permissions: [],
    now,
  })
  await auditByService(tx, store, workspaceId, {
    action: 'person.create',
    resourceId: personId,
    summary: `Added ${email}, whom ${providerName} signed in`,
  })
  return { workspaceId, personId }
}

/** The provider's name of the person if it can be shown, else the address. */
function nameOf(name: string | undefined, email: string): string {
  const normal = normalizeName(name ?? '')
  return normal !== '' && normal.length <= MAX_NAME && nameProblem(normal) === undefined ? normal : email
}
