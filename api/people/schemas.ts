import { Type } from '@sinclair/typebox'
import { SCOPES } from '../../domain/key.js'
import { closed, list, named, nameText, nullable, oneOf, time, uuid } from '../http/schemas.js'

const MAX_EMAIL_LENGTH = 254

const name = nameText(200)
const permissions = (description: string) => Type.Array(oneOf(SCOPES), { uniqueItems: true, description })
const owner = Type.Boolean({ description: 'An owner may do everything, and manages people and all keys' })

export const PersonSchema = named(
  'Person',
  closed({
    id: uuid('The person'),
    name: Type.String(),
    email: Type.String(),
    owner,
    permissions: permissions('What the person may write; of an owner, all'),
    createdAt: time('When the person was added'),
    invitationExpiresAt: nullable(time('When an invitation that was not used yet ends'), {
      description: 'Null if there is none',
    }),
  }),
)

export const InvitationSchema = named(
  'Invitation',
  closed({
    url: Type.String({ description: 'Opens the console signed in as the person, once. It is shown once' }),
    expiresAt: time('When it ends'),
  }),
)

export const InvitedPersonSchema = named(
  'InvitedPerson',
  closed({ ...PersonSchema.properties, invitation: InvitationSchema }),
)

export const PersonList = list('PersonList', PersonSchema)

export const CreatePersonSchema = named(
  'CreatePerson',
  closed({
    name,
    email: Type.String({
      minLength: 3,
      maxLength: MAX_EMAIL_LENGTH,
      pattern:
        '^[^\\s@,;<>"\\x00-\\x1f\\x7f]+@[^\\s@,;<>".\\x00-\\x1f\\x7f]+(\\.[^\\s@,;<>".\\x00-\\x1f\\x7f]+)*$',
      description: 'Unique in the workspace, in any case',
      examples: ['ada@example.com'],
    }),
    permissions: Type.Optional(permissions('What the person may write. Default: nothing')),
  }),
)

export const UpdatePersonSchema = named(
  'UpdatePerson',
  closed({
    name: Type.Optional(name),
    permissions: Type.Optional(permissions('What the person may write. An owner may everything')),
    owner: Type.Optional(owner),
  }),
)
