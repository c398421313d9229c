import { findExperiment } from '../../../management/experiments/store.js'
import { findRefinement } from '../../../management/proposals/refinements.js'
import { exampleRefinement } from '../../experiments/examples.js'
import { experimentParams as params } from '../../experiments/schemas.js'
import { defineRoute } from '../../http/route.js'
import { nullable } from '../../http/schemas.js'
import { Refinement } from '../schemas.js'

export const refinementRoute = defineRoute({
  method: 'GET',
  path: '/experiments/{id}/refine',
  operationId: 'getRefinement',
  tag: 'Proposals',
  summary: 'Get the latest revision of a proposal',
  scope: null,
  params,
  etag: true,
  responses: {
    200: {
      description: 'The latest revision, or null where there is none',
      schema: nullable(Refinement),
      example: exampleRefinement,
    },
  },
  async handler({ params, services, workspaceId }) {
    const { id } = await findExperiment(services.sql, workspaceId, params.id)
    return { status: 200, body: await findRefinement(services.sql, workspaceId, id) }
  },
})
