import { planOf } from '../../../management/experiments/plan.js'
import { experimentReadiness } from '../../../management/experiments/readiness.js'
import { findExperimentWithChanges } from '../../../management/experiments/store.js'
import { currentResults } from '../../../management/results/current.js'
import { defineRoute } from '../../frame/route.js'
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
    const { changes, ...row } = await findExperimentWithChanges(services.sql, workspaceId, params.id)
    const [readiness, current] = await Promise.all([
      experimentReadiness(services, workspaceId, row, signal),
      currentResults(services, workspaceId, row),
    ])
    const measurements =
      row.startedAt === null || current === undefined ? row.measurements : current.measurements
    const plan = changes.length === 0 ? {} : { plan: planOf(changes) }
    return {
      status: 200,
      body: {
        ...toExperiment({ ...row, measurements }),
        results: current === undefined ? null : toShownResults(current.results),
        readiness,
        ...plan,
      },
    }
  },
})
