import type { Operation } from '../../operation.js'
import { repositoryNotConnected } from '../../repositories/refusal.js'

export interface GenerateInput {
  readonly count?: number
  readonly focus?: string
  readonly replace?: boolean
}

/** Asks for a batch of proposals. Throws REPOSITORY_NOT_CONNECTED. */
export const generateProposals: Operation<GenerateInput, never> = {
  action: 'experiment.generate',
  async record() {
    throw repositoryNotConnected()
  },
}
