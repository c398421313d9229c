import { Type } from '@sinclair/typebox'
import {
  createHook,
  DELIVERY_STATUSES,
  deleteHook,
  findHook,
  HOOK_FORMATS,
  listDeliveries,
  listHooks,
  lockHook,
  MAX_HOOKS,
  retryDelivery,
  updateHook,
} from '../../management/hooks/index.js'
import { accepted, created, defineOperation, defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, list, named, nullable, oneOf, paging, textUpTo, time, uuid } from '../http/schemas.js'

const params = closed({ id: uuid('The hook') })

const fields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description:
      'Where events are posted to: `http` or `https`, without user and password. Private addresses are refused unless an operator allows them.',
    examples: ['https://example.com/hooks/svc'],
  }),
  kinds: Type.Array(Type.String({ pattern: '^(\\*|[a-z][a-z_-]*\\.[a-z][a-z_-]*)$', maxLength: 100 }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description:
      'Actions of the audit trail such as `experiment.start`, and `results.ready`, `results.broken_split`, `proposals.ready`, `dead_letters.appeared`, `erasure.done`. `*` is all.',
    examples: [['experiment.start', 'results.ready']],
  }),
  format: oneOf(HOOK_FORMATS, {
    description: '`slack`: the body is `{ "text": … }`, a sentence with a link to the console',
  }),
}
const secret = textUpTo(200, 'Signs each delivery. Random if it is left out.')

const Hook = named(
  'Hook',
  closed({
    id: uuid('The hook'),
    ...fields,
    createdAt: time('When it was created'),
    updatedAt: time('When it last changed'),
  }),
)
const CreatedHook = named(
  'CreatedHook',
  closed({ ...Hook.properties, secret: Type.String({ description: 'Shown once' }) }),
)

const Delivery = named(
  'HookDelivery',
  closed({
    id: uuid(
      'The event. Each attempt has the same `id`, which is that of the audit entry for an audit action',
    ),
    kind: Type.String({ examples: ['experiment.start'] }),
    at: time('When it happened'),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'As it is posted' }),
    status: oneOf(DELIVERY_STATUSES, { description: '`failed`: not accepted within a day' }),
    attempts: Type.Integer(),
    lastAttemptAt: nullable(time('When it was last posted')),
    nextAttemptAt: nullable(time('When it is posted next'), { description: 'Null unless pending' }),
    responseStatus: nullable(Type.Integer(), {
      description: 'What the receiver answered last; null if it did not',
    }),
    error: nullable(Type.String(), { description: 'Why the last attempt did not succeed' }),
  }),
)

const exampleHook = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d70',
  url: 'https://example.com/hooks/svc',
  kinds: ['experiment.start', 'results.ready'],
  format: 'svc',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}
const exampleDelivery = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d71',
  kind: 'results.ready',
  at: '2026-11-22T09:30:00.000Z',
  data: {
    experimentId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
    experimentKey: 'shorter-checkout',
    experimentName: 'Shorter checkout',
    verdict: { code: 'undecided', variant: null, text: 'There is no clear difference yet.' },
  },
  status: 'delivered',
  attempts: 1,
  lastAttemptAt: '2026-11-22T09:30:00.120Z',
  nextAttemptAt: null,
  responseStatus: 204,
  error: null,
}

const tag = 'Webhooks'

export const hookRoutes = [
  defineRoute('GET /hooks', 'listHooks', {
    tag,
    owners: true,
    summary: 'List webhooks, newest first',
    description: 'Needs the session of an owner.',
    responses: { 200: json('Every webhook', list('HookList', Hook), { data: [exampleHook] }) },
    async handler({ services, workspaceId }) {
      return { status: 200, body: { data: await listHooks(services.sql, workspaceId) } }
    },
  }),

  defineOperation('POST /hooks', 'createHook', {
    tag,
    owners: true,
    summary: 'Create a webhook',
    description:
      `Needs the session of an owner. A workspace has at most ${MAX_HOOKS}. ` +
      'Events are posted as JSON: `{ id, kind, at, workspaceId, data }`, with `Svc-Signature: t=SECONDS,v1=HEX`, the HMAC-SHA-256 of `SECONDS.BODY` with the secret. ' +
      'Anything but 2xx within ten seconds is tried again for a day, at growing intervals. Redirects are not followed. ' +
      'An event may arrive more than once, with the same `id`, and not in order.',
    body: closed({
      url: fields.url,
      kinds: fields.kinds,
      secret: Type.Optional(secret),
      format: Type.Optional(fields.format),
    }),
    bodyExample: { url: exampleHook.url, kinds: exampleHook.kinds },
    secret: true,
    responses: {
      201: json('The webhook, with its secret', CreatedHook, { ...exampleHook, secret: 'whsec_…' }),
    },
    operation: createHook,
    input: ({ body }) => body,
    answer: (row) => created(row, `/v1/hooks/${row.id}`),
  }),

  defineRoute('GET /hooks/{id}', 'getHook', {
    tag,
    owners: true,
    summary: 'Get a webhook',
    description: 'Needs the session of an owner.',
    params,
    etag: true,
    responses: { 200: json('The webhook', Hook, exampleHook) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: await findHook(services.sql, workspaceId, params.id) }
    },
  }),

  defineOperation('PATCH /hooks/{id}', 'updateHook', {
    tag,
    owners: true,
    summary: 'Change a webhook',
    description:
      'Needs the session of an owner. Fields that are left out stay as they are. Attempts to come use the new address and secret.',
    params,
    body: closed({
      url: Type.Optional(fields.url),
      kinds: Type.Optional(fields.kinds),
      secret: Type.Optional(secret),
      format: Type.Optional(fields.format),
    }),
    bodyExample: { kinds: ['*'] },
    responses: { 200: json('The current webhook', Hook, { ...exampleHook, kinds: ['*'] }) },
    lockState: (tx, workspaceId, { id }) => lockHook(tx, workspaceId, id),
    operation: updateHook,
    input: ({ params, body }) => ({ id: params.id, changes: body }),
    answer: (row) => ({ status: 200, body: row }),
  }),

  defineOperation('DELETE /hooks/{id}', 'deleteHook', {
    tag,
    owners: true,
    summary: 'Delete a webhook',
    description: 'Needs the session of an owner. Nothing is posted any more.',
    params,
    responses: { 204: { description: 'It is deleted' } },
    lockState: (tx, workspaceId, { id }) => lockHook(tx, workspaceId, id),
    operation: deleteHook,
    input: ({ params }) => ({ id: params.id }),
    answer: () => ({ status: 204 }),
  }),

  defineRoute('GET /hooks/{id}/deliveries', 'listHookDeliveries', {
    tag,
    owners: true,
    summary: 'List deliveries of a webhook, newest first',
    description:
      'Needs the session of an owner. Those that are not pending are kept for seven days, and at most a thousand.',
    params,
    query: closed({ status: Type.Optional(oneOf(DELIVERY_STATUSES)), ...paging(100, 25) }),
    responses: { 200: pageOf('A page of deliveries', 'HookDeliveryPage', Delivery, exampleDelivery, 25) },
    async handler({ params, query, services, workspaceId }) {
      const { rows, total } = await listDeliveries(services.sql, workspaceId, params.id, query)
      return page(query, rows, total)
    },
  }),

  defineOperation('POST /hooks/{id}/deliveries/{deliveryId}/retry', 'retryHookDelivery', {
    tag,
    owners: true,
    summary: 'Send a delivery again',
    description:
      'Needs the session of an owner. The event is posted now, also if it was accepted before, and again for a day until it is accepted.',
    params: closed({ id: uuid('The hook'), deliveryId: uuid('The delivery') }),
    responses: {
      202: json('The delivery', Delivery, {
        ...exampleDelivery,
        status: 'pending',
        nextAttemptAt: '2026-11-22T09:31:00.000Z',
      }),
    },
    operation: retryDelivery,
    input: ({ params }) => ({ hookId: params.id, deliveryId: params.deliveryId }),
    answer: ({ hook, delivery }) => accepted(delivery, `/v1/hooks/${hook.id}/deliveries`),
  }),
]
