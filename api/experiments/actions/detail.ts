import { experimentReadiness } from '../../../management/experiments/readiness.js'
import { findExperimentWithChanges } from '../../../management/experiments/store.js'
import { planOf } from '../../../management/pull-requests/plan.js'
import { currentResults } from '../../../management/results/current.js'
import { defineRoute } from '../../http/route.js'
import { exampleDetail } from '../examples.js'
import { toShownResults } from '../results-view.js'
import { ExperimentDetail, experimentParams as params } from '../schemas.js'
import { toExperiment } from '../view.js'

export const detailRoute = defineRoute({
  method: 'GET',
  path: '/experiments/{id}',
  operationId: 'getExperiment',
  tag: 'Experiments',
  summary: 'Get an experiment with its results, readiness and plan',
  scope: null,
  params,
  etag: true,
  responses: {
    200: { description: 'The experiment', schema: ExperimentDetail, example: exampleDetail },
  },
  async handler({ params, services, workspaceId, signal }) {
    const row = await findExperimentWithChanges(services.sql, workspaceId, params.id)
    const [readiness, current, plan] = await Promise.all([
      experimentReadiness(services, workspaceId, row, signal),
      currentResults(services, workspaceId, row),
      row.changes.length === 0 ? undefined : planOf(services, workspaceId, row, signal),
    ])
    const measurements =
      row.startedAt === null || current === undefined ? row.measurements : current.measurements
    return {
      status: 200,
      body: {
        ...toExperiment({ ...row, measurements }),
        results: current === undefined ? null : toShownResults(current.results),
        readiness,
        ...(plan && { plan }),
      },
    }
  },
})
