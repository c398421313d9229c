import {
  createInsight,
  deleteInsight,
  findInsight,
  listInsights,
  lockInsight,
  updateInsight,
} from '../../management/insights/index.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { assertValid, created, defineOperation, defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, paging, uuid } from '../http/schemas.js'
import {
  CreateInsightSchema,
  createInsightRules,
  InsightSchema,
  insightQueryProblems,
  UpdateInsightSchema,
  withUtcTimes,
} from './insight-schemas.js'
import { ENTRIES_A_PAGE } from './schemas.js'

const params = closed({ insightId: uuid('The insight') })

const lockState = (tx: Transaction, workspaceId: string, { insightId }: { readonly insightId: string }) =>
  lockInsight(tx, workspaceId, insightId)

const body = {
  name: 'Revenue by plan',
  kind: 'trends',
  query: {
    interval: 'day',
    series: [{ eventName: 'order_paid', measure: 'sum', property: 'total' }],
    breakdown: { property: 'plan' },
    last: '30d',
  },
}
const example = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5f',
  description: '',
  ...body,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}

export const savedInsightRoutes = [
  defineRoute('GET /funnel/insights', 'listInsights', {
    tag: 'Insights',
    summary: 'List insights, newest first',
    description: 'Saved trends, retentions and funnel queries.',
    query: closed(paging(1_000, ENTRIES_A_PAGE)),
    responses: {
      200: pageOf('A page of insights', 'InsightPage', InsightSchema, example, ENTRIES_A_PAGE),
    },
    async handler({ query, services, workspaceId }) {
      const { rows, total } = await listInsights(services.sql, workspaceId, query)
      return page(query, rows, total)
    },
  }),

  defineOperation('POST /funnel/insights', 'createInsight', {
    tag: 'Insights',
    summary: 'Save trends, a retention or a funnel query',
    description:
      'The `query` is the body of a query of that `kind`, and is kept as it is sent, with times in UTC. Its range is `last`, which ends now, or `from` and `to`; the range of a dashboard replaces it.',
    scope: 'funnels.manage',
    body: CreateInsightSchema,
    bodyRules: createInsightRules,
    bodyExample: body,
    responses: { 201: json('The insight', InsightSchema, example) },
    errors: ['NAME_TAKEN'],
    operation: createInsight,
    input({ body, services }) {
      assertValid(createInsightRules, body, services.now())
      return { ...body, query: withUtcTimes(body.query) }
    },
    answer: (row) => created(row, `/v1/funnel/insights/${row.id}`),
  }),

  defineRoute('GET /funnel/insights/{insightId}', 'getInsight', {
    tag: 'Insights',
    summary: 'Get an insight',
    etag: true,
    params,
    responses: { 200: json('The insight', InsightSchema, example) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: await findInsight(services.sql, workspaceId, params.insightId) }
    },
  }),

  defineOperation('PATCH /funnel/insights/{insightId}', 'updateInsight', {
    tag: 'Insights',
    summary: 'Change an insight',
    description: 'A request that changes nothing gets the same response and no audit entry.',
    scope: 'funnels.manage',
    params,
    body: UpdateInsightSchema,
    bodyExample: { name: 'Revenue by plan, new' },
    responses: {
      200: json('The current insight', InsightSchema, { ...example, name: 'Revenue by plan, new' }),
    },
    errors: ['NAME_TAKEN'],
    lockState,
    operation: updateInsight,
    input: ({ params, body, services }) => ({
      id: params.insightId,
      changes: body.query === undefined ? body : { ...body, query: withUtcTimes(body.query) },
      problemsOf: (kind, query) => insightQueryProblems(kind, query, services.now()),
    }),
    answer: (row) => ({ status: 200, body: row }),
  }),

  defineOperation('DELETE /funnel/insights/{insightId}', 'deleteInsight', {
    tag: 'Insights',
    summary: 'Delete an insight, and take it off its dashboards',
    scope: 'funnels.manage',
    params,
    responses: { 204: { description: 'Deleted' } },
    lockState,
    operation: deleteInsight,
    input: ({ params }) => ({ id: params.insightId }),
    answer: () => ({ status: 204 }),
  }),
]
