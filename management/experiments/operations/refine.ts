import type { Operation } from '../../operation.js'
import { unavailable } from '../../refusals.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { repositoryNotConnected } from '../../repositories/refusal.js'
import { lockExperiment, requireLegal } from '../store.js'
import type { ExperimentReference } from './move-on.js'
import { askRepository } from './pull-request.js'

export interface RefineInput extends ExperimentReference {
  readonly instructions: string
}

/** Has a proposal rewritten. Throws ILLEGAL_TRANSITION, REPOSITORY_NOT_CONNECTED, UNAVAILABLE. */
export const refineProposal: Operation<RefineInput, never, ConnectedRepository | undefined> = {
  action: 'experiment.refine',
  prepare: (caller) => askRepository(caller, async (repository) => repository),
  async record(tx, { workspaceId }, { reference }, repository) {
    requireLegal(await lockExperiment(tx, workspaceId, reference), 'refine', 'refine')
    throw repository === undefined
      ? repositoryNotConnected()
      : unavailable('This version has no generator yet', 3_600)
  },
}
