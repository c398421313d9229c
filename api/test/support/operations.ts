import { listEvents } from '../../../clickhouse/queries/events/events.js'
import type { Status } from '../../../domain/lifecycle.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { seal } from '../../../runtime/sealed-secret.js'
import type { TestApi, TestWorkspace } from './api.js'
import { storeEvents } from './events.js'
import { experimentBody, paid, putExperiment } from './experiments.js'

/** A valid request to a new resource. */
export interface Prepared {
  /** Below `/v1`. */
  readonly path: string
  readonly body?: unknown
}

export interface OperationCase {
  /** The response to what `prepare` returns. */
  readonly status: number
  readonly code?: string
  prepare(world: World): Promise<Prepared>
}

export interface World {
  readonly api: Pick<TestApi, 'sql' | 'clock' | 'clickhouse' | 'secretKey'>
  readonly workspace: TestWorkspace
}

let made = 0

const at =
  (status: Status, path: string, body?: unknown) =>
  async ({ api, workspace }: World): Promise<Prepared> => {
    const id = await putExperiment(api, workspace, status, { origin: 'api' })
    return { path: `/experiments/${id}${path}`, ...(body === undefined ? {} : { body }) }
  }
const plain = (path: string, body?: unknown) => async (): Promise<Prepared> => ({
  path,
  ...(body === undefined ? {} : { body }),
})

const funnel = (path: string, body?: unknown) => async (world: World) => ({
  path: `/funnel/${await putFunnel(world)}${path}`,
  ...(body === undefined ? {} : { body }),
})

const insight = (path: string, body?: unknown) => async (world: World) => ({
  path: `/funnel/insights/${await putInsight(world)}${path}`,
  ...(body === undefined ? {} : { body }),
})

const dashboard = (path: string, body?: unknown) => async (world: World) => ({
  path: `/funnel/dashboards/${await putDashboard(world)}${path}`,
  ...(body === undefined ? {} : { body }),
})

const key =
  (path: string, body?: unknown) =>
  async ({ workspace }: World) => ({
    path: `/keys/${(await workspace.keyWith([])).id}${path}`,
    ...(body === undefined ? {} : { body }),
  })

const person =
  (path: string, body?: unknown) =>
  async ({ workspace }: World) => ({
    path: `/people/${(await workspace.person([])).id}${path}`,
    ...(body === undefined ? {} : { body }),
  })

const hook = (path: string, body?: unknown) => async (world: World) => ({
  path: `/hooks/${await putHook(world)}${path}`,
  ...(body === undefined ? {} : { body }),
})

/** An entry per operation of the document: a new route fails the tests until it is added. */
export const OPERATIONS: Readonly<Record<string, OperationCase>> = {
  listExperiments: { status: 200, prepare: plain('/experiments') },
  createExperiment: {
    status: 201,
    prepare: async () => ({ path: '/experiments', body: experimentBody({ name: `Operation ${++made}` }) }),
  },
  countExperiments: { status: 200, prepare: plain('/experiments/counts') },
  listExperimentSegments: { status: 200, prepare: at('running', '/results?breakdown=plan') },
  exportExperimentResults: { status: 200, prepare: at('running', '/results.csv') },
  listResultsHistory: { status: 200, prepare: at('running', '/results/history') },
  getExperiment: { status: 200, prepare: at('running', '') },
  getExperimentStatus: { status: 200, prepare: at('running', '/status') },
  updateExperiment: { status: 200, prepare: at('proposed', '', { name: 'Renamed' }) },
  replaceConversionTargets: {
    status: 200,
    prepare: at('approved', '/conversion-targets', {
      conversionTargets: [...paid, { eventName: 'refunded' }],
    }),
  },
  generateProposals: {
    status: 409,
    code: 'REPOSITORY_NOT_CONNECTED',
    prepare: async () => ({ path: '/experiments/generate', body: { count: 2 } }),
  },
  approveProposal: { status: 200, prepare: at('proposed', '/approve', { acknowledgeOverlap: true }) },
  dismissProposal: { status: 200, prepare: at('proposed', '/dismiss', { reasons: ['other'] }) },
  refineProposal: {
    status: 409,
    code: 'REPOSITORY_NOT_CONNECTED',
    prepare: at('proposed', '/refine', { instructions: 'Shorter' }),
  },
  getRefinement: { status: 200, prepare: at('proposed', '/refine') },
  generatePullRequest: {
    status: 409,
    code: 'REPOSITORY_NOT_CONNECTED',
    prepare: at('approved', '/generate-pr'),
  },
  startExperiment: { status: 200, prepare: at('approved', '/start', {}) },
  pauseExperiment: { status: 200, prepare: at('running', '/pause', {}) },
  resumeExperiment: { status: 200, prepare: at('paused', '/resume', {}) },
  endExperiment: { status: 200, prepare: at('running', '/end', { conclude: true }) },
  shipExperiment: { status: 200, prepare: at('ended', '/ship', { variant: 'treatment' }) },
  decideExperiment: {
    status: 202,
    prepare: at('ended', '/decide', { outcome: 'reject', reason: 'No effect' }),
  },
  listLearnings: { status: 200, prepare: plain('/learnings') },
  getLearning: {
    status: 200,
    prepare: async (world) => ({ path: `/learnings/${await putLearning(world)}` }),
  },
  updateLearning: {
    status: 200,
    prepare: async (world) => ({
      path: `/learnings/${await putLearning(world)}`,
      body: { interpretation: `Seen ${++made}` },
    }),
  },
  listGenerationRuns: { status: 200, prepare: plain('/experiment-runs') },
  getGenerationRun: {
    status: 200,
    prepare: async (world) => ({ path: `/experiment-runs/${await putRun(world)}` }),
  },
  listFunnels: { status: 200, prepare: plain('/funnel') },
  createFunnel: {
    status: 201,
    prepare: async () => ({
      path: '/funnel',
      body: { name: `Operation ${++made}`, steps: [{ eventName: 'order_paid' }] },
    }),
  },
  listEventNames: { status: 200, prepare: plain('/funnel/events') },
  updateEventName: {
    status: 200,
    prepare: async () => ({ path: `/funnel/events/debug_${newId()}`, body: { hidden: true } }),
  },
  updateEventProperty: {
    status: 200,
    prepare: async () => ({
      path: `/funnel/events/debug_${newId()}/properties`,
      body: { property: 'plan', description: 'The plan' },
    }),
  },
  getFunnel: { status: 200, prepare: funnel('') },
  updateFunnel: { status: 200, prepare: funnel('', { description: 'Changed' }) },
  deleteFunnel: { status: 204, prepare: funnel('') },
  queryFunnelDraft: {
    status: 200,
    prepare: plain('/funnel/query', { steps: [{ eventName: 'order_paid' }] }),
  },
  queryFunnel: { status: 200, prepare: funnel('/query', {}) },
  listFunnelPersons: { status: 200, prepare: funnel('/persons?step=0') },
  planExperiment: {
    status: 200,
    prepare: plain('/experiments/power', {
      target: { eventName: 'order_paid' },
      splits: [50, 50],
      minimumEffect: 0.1,
      baseline: { rate: 0.1 },
    }),
  },
  listEvents: { status: 200, prepare: plain('/events') },
  listEventProperties: { status: 200, prepare: plain('/funnel/events/order_paid/properties') },
  listIngestProblems: { status: 200, prepare: plain('/events/problems?outcome=refused') },
  listPersons: { status: 200, prepare: plain('/events/persons') },
  getEventPerson: {
    status: 200,
    async prepare({ api, workspace }) {
      const userId = `shown-${++made}`
      await storeEvents(api, workspace.id, Date.now(), [{ event: 'put', userId }])
      return { path: `/events/persons/user:${userId}` }
    },
  },
  streamEvents: { status: 200, prepare: plain('/events/live') },
  listEventTrends: { status: 200, prepare: plain('/events/trends?events=order_paid') },
  queryTrends: { status: 200, prepare: plain('/events/trends', { series: [{ eventName: 'order_paid' }] }) },
  getKeyLedger: {
    status: 200,
    prepare: async ({ workspace }) => ({
      path: `/events/ledger?key=${(await workspace.keyWith([])).id}`,
    }),
  },
  exportEvents: { status: 200, prepare: plain('/events/export') },
  queryRetention: {
    status: 200,
    prepare: plain('/events/retention', { startEvent: 'order_paid', returnEvent: 'order_paid' }),
  },
  listInsights: { status: 200, prepare: plain('/funnel/insights') },
  createInsight: {
    status: 201,
    prepare: async () => ({
      path: '/funnel/insights',
      body: { name: `Operation ${++made}`, kind: 'trends', query: { series: [{ eventName: 'order_paid' }] } },
    }),
  },
  getInsight: { status: 200, prepare: insight('') },
  updateInsight: { status: 200, prepare: insight('', { description: 'Changed' }) },
  deleteInsight: { status: 204, prepare: insight('') },
  listDashboards: { status: 200, prepare: plain('/funnel/dashboards') },
  createDashboard: {
    status: 201,
    prepare: async () => ({ path: '/funnel/dashboards', body: { name: `Operation ${++made}` } }),
  },
  getDashboard: { status: 200, prepare: dashboard('') },
  updateDashboard: { status: 200, prepare: dashboard('', { last: '7d' }) },
  deleteDashboard: { status: 204, prepare: dashboard('') },
  exportPerson: {
    status: 200,
    async prepare({ api, workspace }) {
      const userId = `exported-${++made}`
      await storeEvents(api, workspace.id, Date.now(), [{ event: 'put', userId }])
      return { path: `/events/persons/user:${userId}/export` }
    },
  },
  getEvent: {
    status: 200,
    prepare: async ({ api, workspace }) => ({ path: `/events/${await putEvent(api, workspace)}` }),
  },
  createSession: { status: 401, code: 'UNAUTHENTICATED', prepare: plain('/sessions') },
  getSignIn: { status: 200, prepare: plain('/sign-in') },
  beginProviderSignIn: { status: 404, code: 'NOT_FOUND', prepare: plain('/sign-in/provider') },
  finishProviderSignIn: { status: 303, prepare: plain('/sign-in/callback') },
  listSessions: { status: 200, prepare: plain('/sessions') },
  getSession: {
    status: 200,
    prepare: async ({ workspace }) => ({ path: `/sessions/${(await workspace.openSession()).id}` }),
  },
  endSession: {
    status: 204,
    prepare: async ({ workspace }) => ({ path: `/sessions/${(await workspace.openSession()).id}` }),
  },
  listMyPermissions: { status: 200, prepare: plain('/me/permissions') },
  getMe: { status: 200, prepare: plain('/me') },
  getReadiness: { status: 200, prepare: plain('/readiness') },
  listKeys: { status: 200, prepare: plain('/keys') },
  createKey: {
    status: 201,
    prepare: plain('/keys', { name: 'CI', type: 'api', scopes: ['funnels.manage'] }),
  },
  getKey: { status: 200, prepare: key('') },
  rotateKey: { status: 201, prepare: key('/rotate', {}) },
  revokeKey: { status: 204, prepare: key('') },
  createErasure: {
    status: 202,
    prepare: async () => ({ path: '/erasures', body: { userId: `erased-${++made}` } }),
  },
  listErasures: { status: 200, prepare: plain('/erasures') },
  getErasure: {
    status: 200,
    prepare: async (world) => ({ path: `/erasures/${await putErasure(world)}` }),
  },
  listPeople: { status: 200, prepare: plain('/people') },
  createPerson: {
    status: 201,
    prepare: async () => ({
      path: '/people',
      body: { name: 'Bo', email: `bo-${++made}@example.com`, permissions: ['funnels.manage'] },
    }),
  },
  getPerson: { status: 200, prepare: person('') },
  updatePerson: { status: 200, prepare: person('', { permissions: ['funnels.manage'] }) },
  removePerson: { status: 204, prepare: person('') },
  invitePerson: { status: 201, prepare: person('/invitation') },
  listAuditEntries: { status: 200, prepare: plain('/audit') },
  listHooks: { status: 200, prepare: plain('/hooks') },
  createHook: { status: 201, prepare: plain('/hooks', { url: 'https://192.0.32.8/hook', kinds: ['*'] }) },
  getHook: { status: 200, prepare: hook('') },
  updateHook: { status: 200, prepare: hook('', { kinds: ['funnel.create'] }) },
  deleteHook: { status: 204, prepare: hook('') },
  listHookDeliveries: { status: 200, prepare: hook('/deliveries') },
  retryHookDelivery: {
    status: 202,
    prepare: async (world) => {
      const id = await putHook(world)
      await world.api.sql`
        insert into hook_deliveries (hook_id, id, kind, at, data, status) values (${id}, ${id}, 'results.ready', now(), '{}', 'failed')`
      return { path: `/hooks/${id}/deliveries/${id}/retry` }
    },
  },
}

export function operationCase(operationId: string): OperationCase {
  const found = OPERATIONS[operationId]
  if (found === undefined) throw new Error(`the tests know no request for ${operationId}`)
  return found
}

async function putFunnel({ api, workspace }: World): Promise<string> {
  const id = newId()
  const steps = [{ name: 'Paid', eventName: 'order_paid', filters: [] }]
  await api.sql`
    insert into funnels (id, workspace_id, name, description, window_seconds, steps, created_at, updated_at)
    values (${id}, ${workspace.id}, ${id}, '', 60, ${api.sql.json(steps)}, now(), now())`
  return id
}

async function putInsight({ api, workspace }: World): Promise<string> {
  const id = newId()
  const query = { series: [{ eventName: 'order_paid' }] }
  await api.sql`
    insert into insights (id, workspace_id, name, description, kind, query, created_at, updated_at)
    values (${id}, ${workspace.id}, ${id}, '', 'trends', ${api.sql.json(query)}, now(), now())`
  return id
}

async function putDashboard({ api, workspace }: World): Promise<string> {
  const id = newId()
  await api.sql`
    insert into dashboards (id, workspace_id, name, description, insights, last, created_at, updated_at)
    values (${id}, ${workspace.id}, ${id}, '', '{}', '30d', now(), now())`
  return id
}

/** To an address that answers nothing, for events that do not happen. */
async function putHook({ api, workspace }: World): Promise<string> {
  const id = newId()
  const secret = seal(api.secretKey, `hook ${id}`, 'secret')
  await api.sql`
    insert into hooks (id, workspace_id, url, kinds, format, secret, created_at, updated_at)
    values (${id}, ${workspace.id}, 'https://192.0.2.1/hook', '{never.happens}', 'svc', ${secret}, now(), now())`
  return id
}

async function putRun({ api, workspace }: World): Promise<string> {
  const id = newId()
  await api.sql`
    insert into generation_runs (id, workspace_id, status, requested, created_at)
    values (${id}, ${workspace.id}, 'succeeded', 5, now())`
  return id
}

async function putLearning({ api, workspace }: World): Promise<string> {
  const experimentId = await putExperiment(api, workspace, 'concluded')
  const id = newId()
  await api.sql`
    insert into learnings (id, workspace_id, experiment_id, experiment_key, title, decision, variant, review_state,
      interpretation, evidence, evidence_hash, search_text, created_at, updated_at)
    values (${id}, ${workspace.id}, ${experimentId}, 'put', 'Put', 'conclude', null, 'draft', '', '{}',
      ${'0'.repeat(64)}, 'put', now(), now())`
  return id
}

export async function putErasure({ api, workspace }: Pick<World, 'api' | 'workspace'>): Promise<string> {
  const id = newId()
  await api.sql`
    insert into erasures (id, workspace_id, user_id, anonymous_ids, person_keys, requested_at, status, finished_at)
    values (${id}, ${workspace.id}, ${id}, '{}', '{}', now(), 'failed', now())`
  return id
}

async function putEvent(api: World['api'], workspace: TestWorkspace): Promise<string> {
  await storeEvents(api, workspace.id, Date.now(), [{ event: 'put', userId: `u-${++made}` }])
  const page = { limit: 1, offset: 0, sortBy: 'receivedAt', sortDir: 'desc' } as const
  const { rows } = await listEvents(api.clickhouse, { workspaceId: workspace.id, ...page })
  return rows[0]?.id ?? ''
}
