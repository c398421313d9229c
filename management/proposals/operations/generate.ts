import { DomainError } from '../../domain-errors.js'
import { askRepository } from '../../experiments/operations/pull-request.js'
import type { Operation } from '../../operation.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { repositoryNotConnected } from '../../repositories/errors.js'
import { generationJob } from '../generation-job.js'
import { insertRun } from '../runs.js'

export interface GenerateInput {
  readonly count?: number
  readonly focus?: string
  readonly replace?: boolean
}

export interface AcceptedRun {
  readonly runId: string
  readonly status: 'queued'
}

const DEFAULT_COUNT = 5

/** Asks for a batch of proposals, which is made in the background. Throws REPOSITORY_NOT_CONNECTED, GENERATION_IN_FLIGHT. */
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
        `A batch is being generated already, by the run ${other}: wait until it is over`,
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
