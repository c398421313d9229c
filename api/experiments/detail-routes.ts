import { Type } from '@sinclair/typebox'
import { FunnelRefusal } from '../../clickhouse/queries/funnel/index.js'
import { isLegal } from '../../domain/lifecycle.js'
import { resultsCsv } from '../../domain/statistics/index.js'
import { validationFailed } from '../../management/domain-errors.js'
import { CSV } from '../../management/events/index.js'
import {
  experimentReadiness,
  experimentServing,
  findExperiment,
  findExperimentWithChanges,
  findStatus,
  READINESS_MS,
} from '../../management/experiments/index.js'
import { codeInBaseCheck, findPullRequestBodies, planOf } from '../../management/pull-requests/index.js'
import { currentResults, measureSegments } from '../../management/results/index.js'
import { property } from '../funnels/schemas.js'
import { download } from '../http/download.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { defineRoute, json } from '../http/route.js'
import { closed } from '../http/schemas.js'
import { exampleDetail, exampleResults, exampleStatus } from './examples.js'
import { RESULTS_DEADLINE_MS, RESULTS_LIMITS } from './results-limits.js'
import { SegmentsSchema } from './results-schemas.js'
import { toShownResults } from './results-view.js'
import { ExperimentDetailSchema, ExperimentStatusSchema, experimentParams as params } from './schemas.js'
import { toExperiment, toExperimentState, toSizingState, toStatus } from './view.js'

export const detailRoute = defineRoute('GET /experiments/{id}', 'getExperiment', {
  tag: 'Experiments',
  summary: 'Get an experiment with its results, readiness and plan',
  params,
  etag: true,
  responses: { 200: json('The experiment', ExperimentDetailSchema, exampleDetail) },
  async handler({ params, services, workspaceId, signal }) {
    const row = await findExperimentWithChanges(services.sql, workspaceId, params.id)
    const isPlanned = row.pullRequest !== null || isLegal(row.status, 'start')
    const code = isPlanned
      ? codeInBaseCheck(services, workspaceId, row, READINESS_MS, signal)
      : Promise.resolve(undefined)
    const [readiness, serving, current, bodies, plan] = await Promise.all([
      experimentReadiness(services, workspaceId, row, code, signal),
      experimentServing(services, workspaceId, row),
      currentResults(services, workspaceId, row),
      findPullRequestBodies(services.sql, row),
      row.changes.length === 0 ? undefined : planOf(services, workspaceId, row, signal),
    ])
    const measurements =
      row.startedAt === null || current === undefined ? row.measurements : current.measurements
    const shown = toExperiment({ ...row, measurements })
    return {
      status: 200,
      body: {
        ...shown,
        sizing: toSizingState(row, current?.results, services.now()),
        pullRequest: withBody(shown.pullRequest, bodies.pr),
        cleanupPullRequest: withBody(shown.cleanupPullRequest, bodies.cleanup),
        results: current === undefined ? null : toShownResults(current.results),
        readiness,
        serving,
        ...(plan && { plan }),
      },
      state: toExperimentState(row),
    }
  },
})

function withBody<Shown extends object>(pullRequest: Shown | null, body: string | undefined) {
  return pullRequest === null || body === undefined ? pullRequest : { ...pullRequest, body }
}

export const statusRoute = defineRoute('GET /experiments/{id}/status', 'getExperimentStatus', {
  tag: 'Experiments',
  summary: 'Get the status only, for polling',
  params,
  etag: true,
  responses: { 200: json('The status', ExperimentStatusSchema, exampleStatus) },
  async handler({ params, services, workspaceId }) {
    return { status: 200, body: toStatus(await findStatus(services.sql, workspaceId, params.id)) }
  },
})

export const segmentsRoute = defineRoute('GET /experiments/{id}/results', 'listExperimentSegments', {
  heavy: true,
  tag: 'Experiments',
  summary: 'Get the results of an experiment by a property of the exposure',
  description:
    'Each person belongs to one segment, that of the first counted exposure; an exposure that does not count, to that of its own property. Use segments to find questions, not to decide: of many, some differ by chance alone.',
  params,
  query: closed({
    breakdown: { ...property, description: 'A path into the properties of `$exposure`', examples: ['plan'] },
    limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'Most segments to return' }),
  }),
  deadlineMs: RESULTS_DEADLINE_MS,
  responses: {
    200: json('The segments', SegmentsSchema, {
      data: [{ value: 'pro', exploratory: true, results: exampleResults }],
    }),
  },
  async handler({ params, query, services, workspaceId, signal }) {
    const row = await findExperiment(services.sql, workspaceId, params.id)
    const breakdown = { property: query.breakdown, limit: query.limit }
    const segments = await measureSegments(services, workspaceId, row, breakdown, {
      limits: RESULTS_LIMITS,
      signal,
    }).catch((error: unknown) => {
      if (error instanceof FunnelRefusal)
        throw validationFailed([{ path: '/breakdown', message: error.message }])
      return refuseExceeded('/breakdown')(error)
    })
    const data = segments.map(({ value, exploratory, results }) => ({
      value,
      exploratory,
      results: toShownResults(results),
    }))
    return { status: 200, body: { data } }
  },
})

export const resultsCsvRoute = defineRoute('GET /experiments/{id}/results.csv', 'exportExperimentResults', {
  tag: 'Experiments',
  summary: 'Export the results of an experiment as CSV',
  description:
    'A row for each target and variant, as `svc experiments results ID --format csv`. Absent values are empty; before the start there is only the header.',
  params,
  responses: {
    200: {
      description: 'The results',
      contentType: CSV,
      schema: Type.String(),
      example: resultsCsv(exampleResults),
    },
  },
  async handler(request) {
    const { params, services, workspaceId } = request
    const row = await findExperiment(services.sql, workspaceId, params.id)
    const current = await currentResults(services, workspaceId, row)
    const type = { contentType: `${CSV}; charset=utf-8`, filename: `${params.id}-results.csv` }
    return download(request, inOnePart(resultsCsv(current?.results ?? NO_RESULTS)), type)
  },
})

const NO_RESULTS = { asOf: '', targets: [] }

async function* inOnePart(text: string): AsyncGenerator<string> {
  yield text
}
