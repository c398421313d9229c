import { DomainError } from '../domain-errors.js'
import { auditLabel, type ExperimentReference, lockExperiment, requireLegal } from '../experiments/index.js'
import type { Operation } from '../operation.js'
import { askRepository, type ConnectedRepository, repositoryNotConnected } from '../repositories/index.js'
import { generationJob } from './generation-job.js'
import { refinementJob } from './refinement-job.js'
import { insertRefinement, type Refinement } from './refinements.js'
import { insertRun } from './runs.js'

export interface GenerateInput {
  /** @default 5 */
  readonly count?: number
  readonly focus?: string
  readonly replace?: boolean
}

export interface AcceptedRun {
  readonly runId: string
  readonly status: 'queued'
}

const DEFAULT_COUNT = 5

/** Starts a generation run in the background. Throws REPOSITORY_NOT_CONNECTED, GENERATION_IN_FLIGHT. */
export const generateProposals: Operation<GenerateInput, AcceptedRun, ConnectedRepository | undefined> = {
  action: 'experiment.generate',

  prepare: (caller) => askRepository(caller, async (repository) => repository),

  async record(tx, caller, { count = DEFAULT_COUNT, focus, replace = false }, repository) {
    const { services, workspaceId, credential } = caller
    if (repository === undefined) throw repositoryNotConnected()
    const runId = services.newId()
    const request = {
      requested: count,
      focus: focus ?? null,
      replaces: replace,
      personId: credential.person.id,
    }
    const other = await insertRun(tx, workspaceId, runId, request, new Date(services.now()))
    if (other !== undefined)
      throw new DomainError(
        'GENERATION_IN_FLIGHT',
        `Proposals are being generated already, by the run ${other}: wait until it has finished`,
        [{ path: 'runId', message: other }],
      )
    const wakes = await services.jobs.send(tx, generationJob, { workspaceId, runId }, { key: runId })
    const about = focus === undefined ? '' : ` about ${JSON.stringify(focus)}`
    const instead = replace ? ', in place of those that are pending' : ''
    return {
      result: { runId, status: 'queued' },
      audit: { resourceId: runId, summary: `Asked for ${count} proposals${about}${instead}` },
      wakes,
    }
  },
}

export interface RefineInput extends ExperimentReference {
  readonly instructions: string
}

export interface AcceptedRefinement {
  readonly refinement: Refinement
  readonly experimentId: string
}

/** Starts the revision of a proposal in the background. Throws ILLEGAL_TRANSITION, REFINE_IN_FLIGHT. */
export const refineProposal: Operation<RefineInput, AcceptedRefinement, ConnectedRepository | undefined> = {
  action: 'experiment.refine',

  prepare: (caller) => askRepository(caller, async (repository) => repository),

  async record(tx, { services, workspaceId }, { reference, instructions }, repository) {
    const row = await lockExperiment(tx, workspaceId, reference)
    requireLegal(row, 'refine', 'refine')
    if (repository === undefined) throw repositoryNotConnected()
    const id = services.newId()
    const at = new Date(services.now())
    const revision = { id, workspaceId, experimentId: row.id, instructions, at }
    const refinement = await insertRefinement(tx, revision)
    if (refinement === undefined)
      throw new DomainError(
        'REFINE_IN_FLIGHT',
        `The proposal ${row.key} is being rewritten already: wait until that has finished`,
      )
    const payload = { workspaceId, experimentId: row.id, refinementId: id }
    const wakes = await services.jobs.send(tx, refinementJob, payload, { key: id })
    return {
      result: { refinement, experimentId: row.id },
      audit: { resourceId: row.id, summary: `Asked for a revision of ${auditLabel(row)}` },
      wakes,
    }
  },
}
