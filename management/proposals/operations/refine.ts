import { DomainError } from '../../domain-errors.js'
import { askRepository } from '../../experiments/operations/pull-request.js'
import type { ExperimentReference } from '../../experiments/operations/transition.js'
import { auditLabel, requireProposal } from '../../experiments/proposed/moves.js'
import type { Operation } from '../../operation.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { repositoryNotConnected } from '../../repositories/errors.js'
import { refinementJob } from '../refinement-job.js'
import { insertRefinement, type Refinement, readRefinement } from '../refinements.js'

export interface RefineInput extends ExperimentReference {
  readonly instructions: string
}

export interface AcceptedRefinement {
  readonly refinement: Refinement
  readonly experimentId: string
}

/** Has a proposal rewritten, in the background. Throws ILLEGAL_TRANSITION, REPOSITORY_NOT_CONNECTED, REFINE_IN_FLIGHT. */
export const refineProposal: Operation<RefineInput, AcceptedRefinement, ConnectedRepository | undefined> = {
  action: 'experiment.refine',

  prepare: (caller) => askRepository(caller, async (repository) => repository),

  async record(tx, { services, workspaceId }, { reference, instructions }, repository) {
    const row = await requireProposal(tx, workspaceId, reference, 'refine')
    if (repository === undefined) throw repositoryNotConnected()
    const id = services.newId()
    const at = new Date(services.now())
    if (!(await insertRefinement(tx, { id, workspaceId, experimentId: row.id, instructions, at })))
      throw new DomainError(
        'REFINE_IN_FLIGHT',
        `The proposal ${row.key} is being rewritten already: wait until that is over`,
      )
    const payload = { workspaceId, experimentId: row.id, refinementId: id }
    const wakes = await services.jobs.send(tx, refinementJob, payload, { key: id })
    return {
      result: await readRefinement(tx, workspaceId, id),
      audit: { resourceId: row.id, summary: `Asked for a revision of ${auditLabel(row)}` },
      wakes,
    }
  },
}
