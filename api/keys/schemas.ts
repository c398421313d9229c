import { type Static, Type } from '@sinclair/typebox'
import { EXPOSURES_SCOPE, IMPORT_SCOPE, SCOPES } from '../../domain/key.js'
import { GRACE_HOURS, MAX_GRACE_HOURS } from '../../management/keys/index.js'
import { KEY_TYPES } from '../../postgres/tables/keys.js'
import type { Rule } from '../http/route.js'
import { closed, list, named, nameText, nullable, oneOf, time, uuid } from '../http/schemas.js'

const NAME_LENGTH = 200
const MAX_DAYS = 3_650

const scope = oneOf([...SCOPES, EXPOSURES_SCOPE])

export const KeySchema = named(
  'Key',
  closed({
    id: uuid('The key'),
    name: Type.String(),
    type: oneOf(KEY_TYPES, {
      description: '`api`: this API. `server`: sends events. `publishable`: sends events from browsers',
    }),
    platform: oneOf(['Api', 'Server', 'Browser']),
    scopes: Type.Array(oneOf([...SCOPES, EXPOSURES_SCOPE, IMPORT_SCOPE]), {
      description: `Of an API key: what it may write, as long as its person may too. \`${IMPORT_SCOPE}\`: made by \`svc admin events import\``,
    }),
    personId: uuid('The person it acts as'),
    personName: Type.String(),
    last4: Type.String({ description: 'Its last four characters' }),
    createdAt: time('When it was created'),
    lastUsedAt: nullable(time('When it was last used, within a minute or so'), {
      description: 'Null if it was never used',
    }),
    expiresAt: nullable(time('When it ends by itself'), { description: 'Null if it does not' }),
    revokedAt: nullable(time('When it was revoked'), { description: 'Null if it was not' }),
  }),
)

export const IssuedKeySchema = named(
  'IssuedKey',
  closed({
    ...KeySchema.properties,
    key: Type.String({ description: 'The key. It is shown once', examples: ['tsk_api_…'] }),
  }),
)

export const KeyList = list('KeyList', KeySchema)

export const CreateKeySchema = named(
  'CreateKey',
  closed({
    name: nameText(NAME_LENGTH, { description: 'What the key is for' }),
    type: oneOf(KEY_TYPES),
    scopes: Type.Optional(
      Type.Array(scope, {
        uniqueItems: true,
        description: `Of an API key: what it may write, at most what you may. Of a server key: \`${EXPOSURES_SCOPE}\`, if it sends exposures and nothing else. Default: none`,
      }),
    ),
    expiresInDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'Default: it does not expire' }),
    ),
  }),
)

export const keyRules: readonly Rule<Static<typeof CreateKeySchema>>[] = [
  {
    of: ['type', 'scopes'],
    problems: ({ type, scopes = [] }) =>
      scopes.flatMap((name, index) =>
        type === (name === EXPOSURES_SCOPE ? 'server' : 'api')
          ? []
          : [{ path: `/scopes/${index}`, message: `is no scope of a key of type ${type}` }],
      ),
  },
]

export const RotateKeySchema = named(
  'RotateKey',
  closed({
    graceHours: Type.Integer({
      minimum: 0,
      maximum: MAX_GRACE_HOURS,
      default: GRACE_HOURS,
      description: 'How long the old key goes on',
    }),
  }),
)
