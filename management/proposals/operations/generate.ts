import { askRepository } from '../../experiments/operations/pull-request.js'
import type { Operation } from '../../operation.js'
import { unavailable } from '../../refusals.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { repositoryNotConnected } from '../../repositories/refusal.js'

export interface GenerateInput {
  readonly count?: number
  readonly focus?: string
  readonly replace?: boolean
}

/** Asks for a batch of proposals. Throws REPOSITORY_NOT_CONNECTED, UNAVAILABLE. */
export const generateProposals: Operation<GenerateInput, never, ConnectedRepository | undefined> = {
  action: 'experiment.generate',
  prepare: (caller) => askRepository(caller, async (repository) => repository),
  async record(_tx, _caller, _input, repository) {
    throw repository === undefined
      ? repositoryNotConnected()
      : unavailable('This version has no generator yet', 3_600)
  },
}
