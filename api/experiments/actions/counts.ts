import { STATUSES } from '../../../domain/lifecycle.js'
import { countByStatus } from '../../../management/experiments/list-store.js'
import { defineRoute } from '../../http/route.js'
import { ExperimentCounts } from '../schemas.js'

export const countsRoute = defineRoute({
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
})
