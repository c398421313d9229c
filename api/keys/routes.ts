import { found } from '../../management/domain-errors.js'
import { endKey, issueKey, replaceKeyByNew, visibleKey, visibleKeys } from '../../management/keys/index.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { type KeySummary, lockKey } from '../../postgres/tables/keys.js'
import { assertValid, created, defineOperation, defineRoute, json } from '../http/route.js'
import { closed, uuid } from '../http/schemas.js'
import { CreateKeySchema, IssuedKeySchema, KeyList, KeySchema, keyRules, RotateKeySchema } from './schemas.js'

const params = closed({ id: uuid('The key') })

/** To use a key does not change it. */
const stateOf = ({ lastUsedAt, ...state }: KeySummary) => state
const lockState = async (tx: Transaction, workspaceId: string, { id }: { readonly id: string }) =>
  stateOf(found(await lockKey(tx, workspaceId, id), 'key'))

const exampleKey = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  name: 'CI',
  type: 'api',
  platform: 'Api',
  scopes: ['experiments.manage', 'funnels.manage'],
  personId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
  personName: 'Ada',
  last4: 'x7Qd',
  createdAt: '2026-11-21T09:30:00.000Z',
  lastUsedAt: null,
  expiresAt: '2027-02-19T09:30:00.000Z',
  revokedAt: null,
}

const exampleIssued = { ...exampleKey, key: 'tsk_api_…' }

export const keyRoutes = [
  defineRoute('GET /keys', 'listKeys', {
    tag: 'Keys',
    summary: 'List keys, newest first',
    description: 'An owner sees all keys of the workspace, others their own. Ended keys are listed too.',
    responses: { 200: json('The keys', KeyList, { data: [exampleKey] }) },
    async handler({ services, credential }) {
      return { status: 200, body: { data: await visibleKeys(services, credential) } }
    },
  }),

  defineOperation('POST /keys', 'createKey', {
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'Everybody creates API keys, with at most their own permissions; owners create server and publishable keys too. The key acts as you, and ends if you are removed.',
    secret: true,
    body: CreateKeySchema,
    bodyExample: { name: 'CI', type: 'api', scopes: ['experiments.manage'], expiresInDays: 90 },
    bodyRules: keyRules,
    responses: { 201: json('The key, shown once', IssuedKeySchema, exampleIssued) },
    errors: ['MISSING_PERMISSION'],
    operation: issueKey,
    input({ body, services }) {
      assertValid(keyRules, body, services.now())
      return body
    },
    answer: (key) => created(key, '/v1/keys'),
  }),

  defineRoute('GET /keys/{id}', 'getKey', {
    tag: 'Keys',
    summary: 'Get a key',
    description: 'An owner gets each key of the workspace, others their own.',
    params,
    etag: true,
    responses: { 200: json('The key', KeySchema, exampleKey) },
    async handler({ params, services, credential }) {
      const key = await visibleKey(services, credential, params.id)
      return { status: 200, body: key, state: stateOf(key) }
    },
  }),

  defineOperation('POST /keys/{id}/rotate', 'rotateKey', {
    tag: 'Keys',
    summary: 'Replace a key by a new one',
    description:
      'The new key has the name, type, person, scopes and lifetime of the old one, which ends after `graceHours`. A key is rotated once. Everybody rotates their own API keys, owners all keys.',
    secret: true,
    params,
    body: RotateKeySchema,
    bodyOptional: true,
    bodyExample: { graceHours: 24 },
    responses: { 201: json('The new key, shown once', IssuedKeySchema, exampleIssued) },
    errors: ['MISSING_PERMISSION', 'ILLEGAL_TRANSITION'],
    lockState,
    operation: replaceKeyByNew,
    input: ({ params, body }) => ({ id: params.id, graceHours: body.graceHours }),
    answer: (key) => created(key, '/v1/keys'),
  }),

  defineOperation('DELETE /keys/{id}', 'revokeKey', {
    tag: 'Keys',
    summary: 'Revoke a key',
    description:
      'Ends the key within a second, with its open streams, and for good. Everybody revokes their own API keys, owners all keys.',
    params,
    responses: { 204: { description: 'Revoked' } },
    errors: ['MISSING_PERMISSION'],
    lockState,
    operation: endKey,
    input: ({ params }) => ({ id: params.id }),
    answer: () => ({ status: 204 }),
  }),
]
