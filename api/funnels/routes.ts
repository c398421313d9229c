import { Type } from '@sinclair/typebox'
import { FunnelRefusal } from '../../clickhouse/queries/funnel/index.js'
import { listEventNames, VocabularyCache } from '../../clickhouse/queries/vocabulary.js'
import { EVENT_LIMITS } from '../../domain/event.js'
import { FUNNEL_LIMITS } from '../../domain/funnel.js'
import { hiddenBy } from '../../domain/hidden-names.js'
import { validationFailed } from '../../management/domain-errors.js'
import {
  answerFunnel,
  createFunnel,
  deleteFunnel,
  type FunnelRow,
  findFunnel,
  listFunnels,
  lockFunnel,
  toSteps,
  updateEventName,
  updateFunnel,
} from '../../management/funnels/index.js'
import { measuredExperiment } from '../../management/results/index.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { readHiddenNames } from '../../postgres/tables/hidden-event-names.js'
import { readDescriptions, searchDescriptions } from '../../postgres/tables/vocabulary-entries.js'
import { memoizePerClient } from '../../runtime/memoize-per-client.js'
import { refuseExceeded } from '../http/error-mapping.js'
import {
  type ApiRequest,
  assertValid,
  created,
  defineOperation,
  defineRoute,
  json,
  page,
  pageOf,
} from '../http/route.js'
import { closed, oneOf, paging, textUpTo, uuid } from '../http/schemas.js'
import { eventPropertyRoutes } from './event-properties.js'
import { funnelPersonsRoute } from './funnel-persons.js'
import {
  funnelQueryRules,
  funnelRules,
  toFunnelAnswer,
  toFunnelQuery,
  withSavedQuery,
} from './funnel-query.js'
import { QUERY_DEADLINE_MS } from './query-range.js'
import {
  CreateFunnelSchema,
  EventNamePatternSchema,
  EventNameSummarySchema,
  EventNameVisibilitySchema,
  FunnelDraftQuerySchema,
  FunnelDraftResultSchema,
  FunnelList,
  type FunnelQueryInput,
  FunnelQueryResultSchema,
  FunnelQuerySchema,
  FunnelSchema,
  UpdateEventNameSchema,
  UpdateFunnelSchema,
} from './schemas.js'

const params = closed({ funnelId: uuid('The funnel') })

const lockState = (tx: Transaction, workspaceId: string, { funnelId }: { readonly funnelId: string }) =>
  lockFunnel(tx, workspaceId, funnelId)

const exampleFunnel = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  name: 'Checkout',
  description: '',
  windowSeconds: 604_800,
  steps: [
    { name: 'Product', eventName: 'product_viewed', filters: [] },
    {
      name: 'Paid',
      eventName: 'order_paid',
      filters: [{ property: 'total', operator: 'gte', value: 20 }],
    },
  ],
  query: {
    order: 'ordered',
    filters: [],
    exclusions: [],
    breakdown: { property: 'plan', limit: 10 },
    interval: 'day',
    last: '30d',
  },
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}

const exampleFigures = {
  from: '2026-10-22T09:30:00.000Z',
  to: '2026-11-21T09:30:00.000Z',
  windowSeconds: 604_800,
  order: 'ordered',
  entered: 200,
  completed: 50,
  conversionRate: 0.25,
  steps: [
    {
      index: 0,
      name: 'Product',
      eventName: 'product_viewed',
      count: 200,
      conversionFromPrevious: null,
      conversionFromStart: 1,
      dropOff: 0,
      medianSecondsFromPrevious: null,
      p90SecondsFromPrevious: null,
    },
    {
      index: 1,
      name: 'Paid',
      eventName: 'order_paid',
      count: 50,
      conversionFromPrevious: 0.25,
      conversionFromStart: 0.25,
      dropOff: 150,
      medianSecondsFromPrevious: 340.5,
      p90SecondsFromPrevious: 1_204.2,
    },
  ],
  breakdown: null,
  trend: null,
  query: { elapsedMs: 41.7, rowsRead: 120_000 },
}

const exampleResult = { funnelId: exampleFunnel.id, ...exampleFigures }

const NAMES_A_PAGE = 1_000
/** Event names that a search finds by their descriptions alone. */
const MAX_DESCRIBED = 200

const exampleName = {
  eventName: 'product_viewed',
  count: 1_200,
  firstSeenAt: '2026-11-01T00:00:12.000Z',
  lastSeenAt: '2026-11-21T09:29:58.120Z',
  description: 'A visitor opened the page of a product',
  hiddenBy: null,
}

export const funnelRoutes = [
  ...eventPropertyRoutes,
  funnelPersonsRoute,
  defineRoute('GET /funnel', 'listFunnels', {
    tag: 'Funnels',
    summary: 'List funnels, newest first',
    responses: { 200: json('The funnels', FunnelList, { data: [exampleFunnel] }) },
    async handler({ services, workspaceId }) {
      return { status: 200, body: { data: await listFunnels(services.sql, workspaceId) } }
    },
  }),

  defineOperation('POST /funnel', 'createFunnel', {
    tag: 'Funnels',
    summary: 'Create a funnel',
    scope: 'funnels.manage',
    body: CreateFunnelSchema,
    bodyExample: {
      name: 'Checkout',
      steps: [{ eventName: 'product_viewed' }, { name: 'Paid', eventName: 'order_paid' }],
    },
    responses: { 201: json('The funnel', FunnelSchema, exampleFunnel) },
    errors: ['NAME_TAKEN'],
    bodyRules: funnelRules,
    operation: createFunnel,
    input({ body, services }) {
      assertValid(funnelRules, body, services.now())
      return body
    },
    answer: (row) => created(row, `/v1/funnel/${row.id}`),
  }),

  defineRoute('GET /funnel/events', 'listEventNames', {
    tag: 'Funnels',
    summary: 'List event names, most frequent first',
    query: closed({
      search: Type.Optional(
        textUpTo(
          EVENT_LIMITS.eventNameLength,
          'Only names that contain this text or have it in their description, in any case',
        ),
      ),
      hidden: Type.Optional(
        oneOf(['exclude', 'include', 'only'], {
          default: 'exclude',
          description: 'Names that are hidden: leave them out, list them too, or list them alone',
        }),
      ),
      ...paging(10_000, NAMES_A_PAGE),
    }),
    responses: {
      200: pageOf(
        'A page of event names',
        'EventNameList',
        EventNameSummarySchema,
        exampleName,
        NAMES_A_PAGE,
      ),
    },
    async handler({ query: { hidden: show, ...query }, services, workspaceId, signal }) {
      const { clickhouse, sql } = services
      const { search } = query
      const [hidden, described] = await Promise.all([
        readHiddenNames(sql, workspaceId),
        search === undefined ? [] : searchDescriptions(sql, workspaceId, search, MAX_DESCRIBED),
      ])
      const wanted = { workspaceId, ...query, described, hidden, show, signal }
      const { rows, total } = await listEventNames(clickhouse, wanted, memoryOf(clickhouse))
      const eventNames = rows.map(({ eventName }) => eventName)
      const descriptions = await readDescriptions(sql, workspaceId, eventNames)
      const data = rows.map((name) => ({
        ...name,
        firstSeenAt: new Date(name.firstSeenAt).toISOString(),
        lastSeenAt: new Date(name.lastSeenAt).toISOString(),
        description: descriptions.get(name.eventName) ?? null,
        hiddenBy: hiddenBy(hidden, name.eventName),
      }))
      return page(query, data, total)
    },
  }),

  defineOperation('PATCH /funnel/events/{eventName}', 'updateEventName', {
    tag: 'Funnels',
    summary: 'Describe an event name, hide it, or show it again',
    description:
      'A hidden name is left out of lists and suggestions. Its events are stored and counted as before. `order_*` hides every name that begins with `order_`, also later ones; a workspace has at most 500 such entries, and 5,000 names and properties with a description. A pattern has no description. A request that changes nothing gets no audit entry.',
    scope: 'funnels.manage',
    params: closed({ eventName: EventNamePatternSchema }),
    body: UpdateEventNameSchema,
    bodyExample: { hidden: true },
    responses: {
      200: json('As it is now', EventNameVisibilitySchema, {
        eventName: 'order_*',
        description: null,
        hiddenBy: 'order_*',
      }),
    },
    operation: updateEventName,
    input: ({ params, body }) => ({ pattern: params.eventName, ...body }),
    answer: (body) => ({ status: 200, body }),
  }),

  defineRoute('GET /funnel/{funnelId}', 'getFunnel', {
    tag: 'Funnels',
    summary: 'Get a funnel',
    params,
    etag: true,
    responses: { 200: json('The funnel', FunnelSchema, exampleFunnel) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: await findFunnel(services.sql, workspaceId, params.funnelId) }
    },
  }),

  defineOperation('PATCH /funnel/{funnelId}', 'updateFunnel', {
    tag: 'Funnels',
    summary: 'Change a funnel',
    description: 'A request that changes nothing gets the same response and no audit entry.',
    scope: 'funnels.manage',
    params,
    body: UpdateFunnelSchema,
    bodyExample: { name: 'Checkout, new' },
    responses: { 200: json('The current funnel', FunnelSchema, { ...exampleFunnel, name: 'Checkout, new' }) },
    errors: ['NAME_TAKEN'],
    lockState,
    bodyRules: funnelRules,
    operation: updateFunnel,
    input({ params, body, services }) {
      assertValid(funnelRules, body, services.now())
      return { id: params.funnelId, changes: body }
    },
    answer: (row) => ({ status: 200, body: row }),
  }),

  defineOperation('DELETE /funnel/{funnelId}', 'deleteFunnel', {
    tag: 'Funnels',
    summary: 'Delete a funnel',
    scope: 'funnels.manage',
    params,
    responses: { 204: { description: 'Deleted' } },
    lockState,
    operation: deleteFunnel,
    input: ({ params }) => ({ id: params.funnelId }),
    answer: () => ({ status: 204 }),
  }),

  defineRoute('POST /funnel/{funnelId}/query', 'queryFunnel', {
    heavy: true,
    tag: 'Funnels',
    summary: 'Query a funnel',
    description:
      'Computes how persons convert from step to step. Fields that the body leaves out are those of the saved `query`. A person is the user of an event, else the user that its anonymous id is linked to, else the anonymous id; the best attempt of each person counts. Writes nothing. A query that exceeds the limits of one query (30 seconds, memory, events read) is a 400 with `/from` in `details`, or a 503 if waiting can help.',
    params,
    body: FunnelQuerySchema,
    bodyRules: funnelQueryRules,
    bodyOptional: true,
    bodyExample: { from: '2026-11-01T00:00:00Z', to: '2026-11-21T00:00:00Z', interval: 'day' },
    deadlineMs: QUERY_DEADLINE_MS,
    responses: {
      200: json(
        'The results. Rates are 0 to 1, null if no one could convert',
        FunnelQueryResultSchema,
        exampleResult,
      ),
    },
    async handler({ params, body, services, workspaceId, signal }) {
      const funnel = await findFunnel(services.sql, workspaceId, params.funnelId)
      const asked = withSavedQuery(body, funnel.query, services.now())
      const figures = await figuresOf({ services, workspaceId, signal }, funnel, asked)
      return { status: 200, body: { funnelId: funnel.id, ...figures } }
    },
  }),

  defineRoute('POST /funnel/query', 'queryFunnelDraft', {
    heavy: true,
    tag: 'Funnels',
    summary: 'Query steps without saving a funnel',
    description: 'Like the query of a funnel, for the steps in the body. Writes nothing.',
    body: FunnelDraftQuerySchema,
    bodyRules: funnelQueryRules,
    bodyExample: { steps: [{ eventName: 'product_viewed' }, { name: 'Paid', eventName: 'order_paid' }] },
    deadlineMs: QUERY_DEADLINE_MS,
    responses: { 200: json('The results', FunnelDraftResultSchema, exampleFigures) },
    async handler({ body: { steps, ...body }, services, workspaceId, signal }) {
      const draft = {
        steps: toSteps(steps),
        windowSeconds: body.windowSeconds ?? FUNNEL_LIMITS.defaultWindowSeconds,
      }
      return { status: 200, body: await figuresOf({ services, workspaceId, signal }, draft, body) }
    },
  }),
]

/** The figures of a funnel or a draft. */
async function figuresOf(
  {
    services,
    workspaceId,
    signal,
  }: Pick<ApiRequest<unknown, unknown, unknown>, 'services' | 'workspaceId' | 'signal'>,
  funnel: Pick<FunnelRow, 'steps' | 'windowSeconds'>,
  body: FunnelQueryInput,
) {
  const now = services.now()
  const experiment =
    body.experiment === undefined
      ? undefined
      : await measuredExperiment(services, workspaceId, body.experiment)
  const query = toFunnelQuery(body, funnel, now, experiment)
  const outcome = await answerFunnel(services, {
    workspaceId,
    steps: funnel.steps,
    query,
    now,
    signal,
    repeatable: body.from !== undefined && body.to !== undefined,
  }).catch((error: unknown) => {
    if (error instanceof FunnelRefusal)
      throw validationFailed([{ path: `/${error.field}`, message: error.message }])
    return refuseExceeded('/from')(error)
  })
  return toFunnelAnswer(query, outcome)
}

const memoryOf = memoizePerClient(() => new VocabularyCache())
