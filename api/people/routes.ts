import { found } from '../../management/domain-errors.js'
import {
  createMember,
  deleteMember,
  type Invited,
  inviteMember,
  lockPerson,
  updateMember,
} from '../../management/people/index.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { findPerson, listPeople, type PersonSummary } from '../../postgres/tables/workspaces.js'
import { type ApiRequest, created, defineOperation, defineRoute, json } from '../http/route.js'
import { closed, uuid } from '../http/schemas.js'
import {
  CreatePersonSchema,
  InvitationSchema,
  InvitedPersonSchema,
  PersonList,
  PersonSchema,
  UpdatePersonSchema,
} from './schemas.js'

const params = closed({ id: uuid('The person') })

/** An invitation that is used or ends does not change the person. */
const stateOf = ({ invitationExpiresAt, ...state }: PersonSummary) => state
const lockState = async (tx: Transaction, workspaceId: string, { id }: { readonly id: string }) =>
  stateOf(await lockPerson(tx, workspaceId, id))

const examplePerson = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
  name: 'Bo',
  email: 'bo@example.com',
  owner: false,
  permissions: ['proposals.review', 'funnels.manage'],
  createdAt: '2026-11-21T09:30:00.000Z',
  invitationExpiresAt: '2026-11-28T09:30:00.000Z',
}

const exampleInvitation = {
  url: 'https://svc.example.com/#code=tsk_once_…',
  expiresAt: '2026-11-28T09:30:00.000Z',
}

export const personRoutes = [
  defineRoute('GET /people', 'listPeople', {
    tag: 'People',
    summary: 'List the people of the workspace, oldest first',
    owners: true,
    responses: { 200: json('The people', PersonList, { data: [examplePerson] }) },
    async handler({ services, workspaceId }) {
      return { status: 200, body: { data: await listPeople(services.sql, workspaceId) } }
    },
  }),

  defineOperation('POST /people', 'createPerson', {
    tag: 'People',
    summary: 'Add a person and invite them',
    description:
      'Give the person the link: it opens the console signed in, once, within seven days. A person who was removed comes back under the same id, without the keys of before.',
    owners: true,
    secret: true,
    body: CreatePersonSchema,
    bodyExample: { name: 'Bo', email: 'bo@example.com', permissions: ['proposals.review', 'funnels.manage'] },
    responses: {
      201: json('The person', InvitedPersonSchema, { ...examplePerson, invitation: exampleInvitation }),
    },
    errors: ['EMAIL_TAKEN'],
    operation: createMember,
    input(request) {
      const { permissions = [], ...fields } = request.body
      return { ...fields, permissions, consoleUrl: consoleUrlOf(request) }
    },
    answer: ({ person, ...invited }) => created({ ...person, invitation: linkOf(invited) }, '/v1/people'),
  }),

  defineRoute('GET /people/{id}', 'getPerson', {
    tag: 'People',
    summary: 'Get a person',
    owners: true,
    params,
    etag: true,
    responses: { 200: json('The person', PersonSchema, examplePerson) },
    async handler({ params, services, workspaceId }) {
      const person = found(await findPerson(services.sql, workspaceId, params.id), 'person')
      return { status: 200, body: person, state: stateOf(person) }
    },
  }),

  defineOperation('PATCH /people/{id}', 'updatePerson', {
    tag: 'People',
    summary: 'Change the name, the permissions or the ownership of a person',
    description:
      'Keys, sessions and open streams obey within a second. A request that changes nothing gets the same response and no audit entry.',
    owners: true,
    params,
    body: UpdatePersonSchema,
    bodyExample: { permissions: ['funnels.manage'] },
    responses: { 200: json('The current person', PersonSchema, examplePerson) },
    errors: ['LAST_OWNER'],
    lockState,
    operation: updateMember,
    input: ({ params, body }) => ({ id: params.id, changes: body }),
    answer: (person) => ({ status: 200, body: person }),
  }),

  defineOperation('DELETE /people/{id}', 'removePerson', {
    tag: 'People',
    summary: 'Remove a person',
    description:
      'Ends the keys of the person, server keys too, their sessions and open streams within a second. Audit entries keep the name.',
    owners: true,
    params,
    responses: { 204: { description: 'Removed' } },
    errors: ['LAST_OWNER'],
    lockState,
    operation: deleteMember,
    input: ({ params }) => ({ id: params.id }),
    answer: () => ({ status: 204 }),
  }),

  defineOperation('POST /people/{id}/invitation', 'invitePerson', {
    tag: 'People',
    summary: 'Make a new link that signs a person in',
    description: 'It takes the place of an earlier link. It works once, within seven days.',
    owners: true,
    secret: true,
    params,
    responses: { 201: json('The link, shown once', InvitationSchema, exampleInvitation) },
    operation: inviteMember,
    input: (request) => ({ id: request.params.id, consoleUrl: consoleUrlOf(request) }),
    answer: (invited) => created(linkOf(invited), '/v1/people'),
  }),
]

/** Browsers never send what follows the `#` to a server. */
function linkOf({ consoleUrl, invitation: { code, expiresAt } }: Invited) {
  return { url: `${consoleUrl}/#code=${code}`, expiresAt }
}

/** The public address, or where the caller has reached this service. */
function consoleUrlOf({
  header,
  services,
}: Pick<ApiRequest<unknown, unknown, unknown>, 'header' | 'services'>): string {
  const scheme = header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ? 'https' : 'http'
  const host = header('host')
  const url = services.consoleUrl(host === undefined ? undefined : `${scheme}://${host}`) ?? ''
  return url.replace(/\/$/, '')
}
