import { findStatus } from '../../../management/experiments/status-store.js'
import { defineRoute } from '../../http/route.js'
import { exampleStatus } from '../examples.js'
import { ExperimentStatus, experimentParams as params } from '../schemas.js'
import { toStatus } from '../view.js'

export const statusRoute = defineRoute({
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
})
