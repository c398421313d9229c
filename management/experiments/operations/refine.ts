import type { Operation } from '../../operation.js'
import { repositoryNotConnected } from '../../repositories/refusal.js'
import { lockExperiment, requireLegal } from '../store.js'
import type { ExperimentReference } from './move-on.js'

export interface RefineInput extends ExperimentReference {
  readonly instructions: string
}

/** Has a proposal rewritten. Throws ILLEGAL_TRANSITION, REPOSITORY_NOT_CONNECTED. */
export const refineProposal: Operation<RefineInput, never> = {
  action: 'experiment.refine',
  async record(tx, { workspaceId }, { reference }) {
    requireLegal(await lockExperiment(tx, workspaceId, reference), 'refine', 'refine')
    throw repositoryNotConnected()
  },
}
