import type { Operation } from '../../operation.js'
import { repositoryNotConnected } from '../../proposals/not-connected.js'
import { lockExperiment, requireLegal } from '../store.js'
import type { ExperimentReference } from './move-on.js'

/** Has the pull request of an approved experiment written. Throws ILLEGAL_TRANSITION, REPOSITORY_NOT_CONNECTED. */
export const generatePullRequest: Operation<ExperimentReference, never> = {
  action: 'experiment.generate-pr',
  async record(tx, { workspaceId }, { reference }) {
    requireLegal(await lockExperiment(tx, workspaceId, reference), 'generatePr', 'generate-pr')
    throw repositoryNotConnected()
  },
}
