import type { Operation } from '../../operation.js'
import { sendPullRequest } from '../../pull-requests/job.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { repositoryNotConnected } from '../../repositories/errors.js'
import { auditLabel } from '../audit-label.js'
import { findExperiment, lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { askRepository } from './pull-request.js'
import { type ExperimentReference, transition } from './transition.js'

/** Has the pull request of an approved experiment written, in the background. Throws ILLEGAL_TRANSITION, REPOSITORY_NOT_CONNECTED. */
export const generatePullRequest: Operation<
  ExperimentReference,
  ExperimentRow,
  ConnectedRepository | undefined
> = {
  action: 'experiment.generate-pr',

  async prepare(caller, { reference }) {
    requireLegal(
      await findExperiment(caller.services.sql, caller.workspaceId, reference),
      'generatePr',
      'generate-pr',
    )
    return askRepository(caller, async (repository) => repository)
  },

  async record(tx, caller, { reference }, repository) {
    const { workspaceId, services } = caller
    const row = await lockExperiment(tx, workspaceId, reference)
    requireLegal(row, 'generatePr', 'generate-pr')
    if (repository === undefined) throw repositoryNotConnected()
    const result = await transition(tx, caller, row, 'generate-pr', { name: 'generatePr' })
    const awaits = await sendPullRequest(tx, services, repository, {
      workspaceId,
      experimentId: row.id,
      purpose: 'pr',
      key: row.key,
      // As it is when it is written: nobody has looked at it yet.
      baseCommit: null,
      personId: caller.credential.person.id,
    })
    const audit = { resourceId: row.id, summary: `Had the pull request of ${auditLabel(row)} written` }
    return awaits === undefined ? { result, audit } : { result, audit, awaits, subjectId: row.id }
  },
}
