import { generatePullRequest } from '../../../management/experiments/operations/generate-pr.js'
import { exampleExperiment } from '../../experiments/examples.js'
import { Experiment, experimentParams as params } from '../../experiments/schemas.js'
import { statusLocation, toExperiment } from '../../experiments/view.js'
import { defineOperation } from '../../http/route.js'

export const generatePrRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/generate-pr',
  operationId: 'generatePullRequest',
  tag: 'Proposals',
  summary: 'Write the pull request of an approved experiment',
  scope: 'experiments.manage',
  params,
  responses: {
    202: {
      description: 'The experiment; its pull request is being written',
      schema: Experiment,
      example: { ...exampleExperiment, status: 'generating_pr' },
    },
  },
  errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED'],
  operation: generatePullRequest,
  input: ({ params }) => ({ reference: params.id }),
  answer: (row) => ({
    status: 202,
    body: toExperiment(row),
    headers: { Location: statusLocation(row), 'Retry-After': '1' },
  }),
})
