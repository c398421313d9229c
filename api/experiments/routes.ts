import { type Static, Type } from '@sinclair/typebox'
import { STATUSES } from '../../domain/lifecycle.js'
import { countByStatus, EXPERIMENT_SORTS, listExperiments } from '../../management/experiments/list-store.js'
import { planOf } from '../../management/experiments/plan.js'
import { experimentReadiness } from '../../management/experiments/readiness.js'
import { findStatus } from '../../management/experiments/status-store.js'
import { findExperimentWithChanges } from '../../management/experiments/store.js'
import {
  EXPERIMENT_LIMITS,
  KINDS,
  ORIGINS,
  PRIORITIES,
  REJECTED_STAGES,
  TEST_TYPES,
} from '../../management/experiments/words.js'
import { readTime } from '../frame/read-time.js'
import { defineRoute, keepTo, type Route, type Rule } from '../frame/route.js'
import { closed, oneOf, pagination, paging, time, uuid } from '../frame/schemas.js'
import { declareExperiment } from './create.js'
import { exampleDetail, exampleExperiment, exampleStatus } from './examples.js'
import { createRules } from './input.js'
import { lifecycleRoutes } from './lifecycle-routes.js'
import { proposalRoutes } from './proposal-routes.js'
import {
  CreateExperiment,
  Experiment,
  ExperimentCounts,
  ExperimentDetail,
  ExperimentPage,
  ExperimentStatus,
  experimentParams as params,
  targetInputs,
  UpdateExperiment,
} from './schemas.js'
import { updateExperiment } from './update.js'
import { nameOf, toExperiment, toStatus } from './view.js'

/** A list of words, separated by commas; the words are checked where it is read. */
function words(known: readonly string[], what: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      description: `Only these ${what}: one, or several separated by commas, of ${known.join(', ')}`,
      examples: [known.slice(0, 2).join(',')],
    }),
  )
}

const listQuery = closed({
  status: words(STATUSES, 'statuses'),
  priority: words(PRIORITIES, 'priorities'),
  origin: words(ORIGINS, 'origins'),
  experimentRunId: Type.Optional(uuid('Only what this generation run proposed')),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: EXPERIMENT_LIMITS.search,
      description: 'Taken literally, letter case aside, in name, key, mechanism, notes and hypothesis',
    }),
  ),
  rejectedStage: Type.Optional(oneOf(REJECTED_STAGES)),
  hasPr: Type.Optional(Type.Boolean({ description: 'Only with a pull request, or only without' })),
  createdAfter: Type.Optional(time('Only what was created then or later')),
  createdBefore: Type.Optional(time('Only what was created before')),
  kind: Type.Optional(oneOf(KINDS)),
  testType: Type.Optional(oneOf(TEST_TYPES)),
  sortBy: Type.Optional(
    oneOf(EXPERIMENT_SORTS, {
      default: 'createdAt',
      description:
        'Equal ones are ordered by id in the same direction. What has no value comes last both ways; low < medium < high; names by code point',
    }),
  ),
  sortDir: Type.Optional(oneOf(['asc', 'desc'], { default: 'desc' })),
  ...paging(200, 50),
})

type ExperimentQuery = Static<typeof listQuery>

/** The words of a comma list, each once, that are known; undefined where the parameter is not there. */
function readWords<Word extends string>(
  text: string | undefined,
  known: readonly Word[],
): Word[] | undefined {
  if (text === undefined) return undefined
  return [...new Set(text.split(','))].flatMap((word) => known.find((one) => one === word) ?? [])
}

const wordRules = (
  [
    ['status', STATUSES],
    ['priority', PRIORITIES],
    ['origin', ORIGINS],
  ] as const
).map(
  ([name, known]): Rule<ExperimentQuery> => ({
    of: [name],
    problems: ({ [name]: text }) =>
      text === undefined || text.split(',').every((word) => (known as readonly string[]).includes(word))
        ? []
        : [
            {
              path: `query.${name}`,
              message: `must be one or several, separated by commas, of ${known.join(', ')}`,
            },
          ],
  }),
)

const resourceRoutes = [
  defineRoute({
    method: 'GET',
    path: '/experiments',
    operationId: 'listExperiments',
    tag: 'Experiments',
    summary: 'List experiments and proposals, newest first',
    scope: null,
    query: listQuery,
    queryRules: wordRules,
    responses: {
      200: {
        description: 'A page of experiments',
        schema: ExperimentPage,
        example: {
          data: [exampleExperiment],
          pagination: { limit: 50, offset: 0, total: 1, hasMore: false },
        },
      },
    },
    async handler({ query, services, workspaceId }) {
      keepTo(wordRules, query, services.now())
      const filter = {
        statuses: readWords(query.status, STATUSES),
        priorities: readWords(query.priority, PRIORITIES),
        origins: readWords(query.origin, ORIGINS),
        experimentRunId: query.experimentRunId,
        search: query.search,
        rejectedStage: query.rejectedStage,
        hasPr: query.hasPr,
        createdAfter: readTime(query.createdAfter),
        createdBefore: readTime(query.createdBefore),
        kind: query.kind,
        testType: query.testType,
      }
      const { limit, offset } = query
      const { rows, total } = await listExperiments(services.sql, workspaceId, {
        ...filter,
        sortBy: query.sortBy ?? 'createdAt',
        sortDir: query.sortDir ?? 'desc',
        limit,
        offset,
      })
      const data = rows.map(toExperiment)
      return { status: 200, body: { data, pagination: pagination(limit, offset, total, data.length) } }
    },
  }),

  defineRoute({
    method: 'POST',
    path: '/experiments',
    operationId: 'createExperiment',
    tag: 'Experiments',
    summary: 'Declare an experiment',
    description:
      'It is approved as it comes. While the workspace has no repository connected there is no pull request: it stays `approved` and can be started.',
    scope: 'experiments.manage',
    audit: 'experiment.create',
    body: CreateExperiment,
    bodyRules: createRules,
    bodyExample: {
      name: 'Shorter checkout',
      variants: [
        { displayName: 'Three pages', trafficSplit: 50 },
        { displayName: 'One page', trafficSplit: 50 },
      ],
      conversionTargets: [{ eventName: 'order_paid', name: 'Paid', windowHours: 72 }],
      surfaces: [{ path: 'src/checkout.html', anchor: '#pay' }],
      priority: 'high',
    },
    responses: { 201: { description: 'The experiment', schema: Experiment, example: exampleExperiment } },
    errors: ['KEY_TAKEN', 'SURFACE_OVERLAP'],
    handler({ body, services, workspaceId, write }) {
      return write(async (tx) => {
        const row = await declareExperiment(tx, services, workspaceId, body)
        return {
          answer: {
            status: 201,
            body: toExperiment(row),
            headers: { Location: `/v1/experiments/${row.id}` },
          },
          audit: { resourceId: row.id, summary: `Declared ${nameOf(row)}` },
        }
      })
    },
  }),

  defineRoute({
    method: 'GET',
    path: '/experiments/counts',
    operationId: 'countExperiments',
    tag: 'Experiments',
    summary: 'Count experiments by status',
    scope: null,
    etag: true,
    responses: {
      200: {
        description: 'How many there are; every status is named',
        schema: ExperimentCounts,
        example: {
          total: 3,
          byStatus: {
            ...Object.fromEntries(STATUSES.map((status) => [status, 0])),
            proposed: 2,
            running: 1,
          },
        },
      },
    },
    async handler({ services, workspaceId }) {
      const byStatus = await countByStatus(services.sql, workspaceId)
      const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
      return { status: 200, body: { total, byStatus } }
    },
  }),

  defineRoute({
    method: 'GET',
    path: '/experiments/{id}',
    operationId: 'getExperiment',
    tag: 'Experiments',
    summary: 'Get an experiment with its readiness and plan',
    scope: null,
    params,
    etag: true,
    responses: {
      200: { description: 'The experiment', schema: ExperimentDetail, example: exampleDetail },
    },
    async handler({ params, services, workspaceId, signal }) {
      const { changes, ...row } = await findExperimentWithChanges(services.sql, workspaceId, params.id)
      const readiness = await experimentReadiness(services, workspaceId, row, signal)
      const plan = changes.length === 0 ? {} : { plan: planOf(changes) }
      return { status: 200, body: { ...toExperiment(row), results: null, readiness, ...plan } }
    },
  }),

  defineRoute({
    method: 'GET',
    path: '/experiments/{id}/status',
    operationId: 'getExperimentStatus',
    tag: 'Experiments',
    summary: 'Get the status only, for polling',
    scope: null,
    params,
    etag: true,
    responses: { 200: { description: 'The status', schema: ExperimentStatus, example: exampleStatus } },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: toStatus(await findStatus(services.sql, workspaceId, params.id)) }
    },
  }),

  defineRoute({
    method: 'PATCH',
    path: '/experiments/{id}',
    operationId: 'updateExperiment',
    tag: 'Experiments',
    summary: 'Change an experiment',
    description:
      'Name, mechanism, notes, hypothesis and priority while it is `proposed`; traffic splits and conversion targets while it is `proposed`, `approved` or `pr_failed`. A change that changes nothing is answered alike and leaves no audit entry.',
    scope: 'experiments.manage',
    audit: 'experiment.update',
    params,
    body: UpdateExperiment,
    bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
    responses: {
      200: { description: 'The experiment as it is now', schema: Experiment, example: exampleExperiment },
    },
    errors: ['NOT_EDITABLE'],
    handler({ params, body, services, workspaceId, write }) {
      return write((tx) => updateExperiment(tx, services, workspaceId, params.id, body))
    },
  }),

  defineRoute({
    method: 'PUT',
    path: '/experiments/{id}/conversion-targets',
    operationId: 'replaceConversionTargets',
    tag: 'Experiments',
    summary: 'Replace the conversion targets',
    description: 'While it is `proposed`, `approved` or `pr_failed`.',
    scope: 'experiments.manage',
    audit: 'experiment.update',
    params,
    body: closed({ conversionTargets: targetInputs }),
    bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
    responses: {
      200: { description: 'The experiment as it is now', schema: Experiment, example: exampleExperiment },
    },
    errors: ['NOT_EDITABLE'],
    handler({ params, body, services, workspaceId, write }) {
      return write((tx) => updateExperiment(tx, services, workspaceId, params.id, body))
    },
  }),
]

/** Experiments, and proposals, which are experiments that nobody has approved yet. */
export const experimentRoutes: readonly Route[] = [...resourceRoutes, ...proposalRoutes, ...lifecycleRoutes]
