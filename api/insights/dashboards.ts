import { Type } from '@sinclair/typebox'
import {
  createDashboard,
  deleteDashboard,
  findDashboard,
  listDashboards,
  lockDashboard,
  updateDashboard,
} from '../../management/insights/index.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { last } from '../funnels/schemas.js'
import { created, defineOperation, defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, named, paging, time, uuid } from '../http/schemas.js'
import { insightDescription, insightName } from './insight-schemas.js'
import { ENTRIES_A_PAGE } from './schemas.js'

const MAX_INSIGHTS = 50

const params = closed({ dashboardId: uuid('The dashboard') })

const lockState = (tx: Transaction, workspaceId: string, { dashboardId }: { readonly dashboardId: string }) =>
  lockDashboard(tx, workspaceId, dashboardId)

const name = { ...insightName, examples: ['Weekly'] }
const insights = Type.Array(uuid('An insight'), {
  maxItems: MAX_INSIGHTS,
  description: 'Ids of insights of the workspace, in the order in which they are shown; each once',
})
const changeable = {
  description: Type.Optional(insightDescription),
  insights: Type.Optional(insights),
  last: Type.Optional(last),
}

const CreateDashboardSchema = named('CreateDashboard', closed({ name, ...changeable }))
const UpdateDashboardSchema = named(
  'UpdateDashboard',
  closed(
    { name: Type.Optional(name), ...changeable },
    { description: 'Only the fields sent change; `insights` are replaced as a whole' },
  ),
)
const DashboardSchema = named(
  'Dashboard',
  closed({
    id: uuid('The dashboard'),
    name,
    description: insightDescription,
    insights,
    last,
    createdAt: time('When it was created'),
    updatedAt: time('When it last changed'),
  }),
)

const example = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
  name: 'Weekly',
  description: '',
  insights: ['0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5f'],
  last: '7d',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
}

export const dashboardRoutes = [
  defineRoute('GET /funnel/dashboards', 'listDashboards', {
    tag: 'Insights',
    summary: 'List dashboards, newest first',
    query: closed(paging(1_000, ENTRIES_A_PAGE)),
    responses: {
      200: pageOf('A page of dashboards', 'DashboardPage', DashboardSchema, example, ENTRIES_A_PAGE),
    },
    async handler({ query, services, workspaceId }) {
      const { rows, total } = await listDashboards(services.sql, workspaceId, query)
      return page(query, rows, total)
    },
  }),

  defineOperation('POST /funnel/dashboards', 'createDashboard', {
    tag: 'Insights',
    summary: 'Create a dashboard',
    description: 'Insights on one page, with one range for all.',
    scope: 'funnels.manage',
    body: CreateDashboardSchema,
    bodyExample: { name: 'Weekly', insights: example.insights, last: '7d' },
    responses: { 201: json('The dashboard', DashboardSchema, example) },
    errors: ['NAME_TAKEN'],
    operation: createDashboard,
    input: ({ body }) => body,
    answer: (row) => created(row, `/v1/funnel/dashboards/${row.id}`),
  }),

  defineRoute('GET /funnel/dashboards/{dashboardId}', 'getDashboard', {
    tag: 'Insights',
    summary: 'Get a dashboard',
    etag: true,
    params,
    responses: { 200: json('The dashboard', DashboardSchema, example) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: await findDashboard(services.sql, workspaceId, params.dashboardId) }
    },
  }),

  defineOperation('PATCH /funnel/dashboards/{dashboardId}', 'updateDashboard', {
    tag: 'Insights',
    summary: 'Change a dashboard',
    description: 'A request that changes nothing gets the same response and no audit entry.',
    scope: 'funnels.manage',
    params,
    body: UpdateDashboardSchema,
    bodyExample: { last: '30d' },
    responses: { 200: json('The current dashboard', DashboardSchema, { ...example, last: '30d' }) },
    errors: ['NAME_TAKEN'],
    lockState,
    operation: updateDashboard,
    input: ({ params, body }) => ({ id: params.dashboardId, changes: body }),
    answer: (row) => ({ status: 200, body: row }),
  }),

  defineOperation('DELETE /funnel/dashboards/{dashboardId}', 'deleteDashboard', {
    tag: 'Insights',
    summary: 'Delete a dashboard; its insights stay',
    scope: 'funnels.manage',
    params,
    responses: { 204: { description: 'Deleted' } },
    lockState,
    operation: deleteDashboard,
    input: ({ params }) => ({ id: params.dashboardId }),
    answer: () => ({ status: 204 }),
  }),
]
