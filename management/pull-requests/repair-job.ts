import { Type } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit.js'
import { auditLabel, lockExperimentIfExists } from '../experiments/index.js'
import { defineJob, type JobAttempt } from '../jobs/definition.js'
import type { Services } from '../services.js'
import { sendPullRequest } from './pull-request-job.js'
import { repairOf } from './repair.js'
import { findRepairable, type PullRequestRow } from './store.js'

const payload = Type.Object({ workspaceId: Type.String() })

/**
 * Looks whether merged cleanups took away what other experiments need, because main has moved on since they
 * were written. If so, sends the pull request that puts it back, one at a time.
 */
export const repairJob = defineJob({
  name: 'pull-request-repair',
  payload,
  concurrency: 2,
  serialBy: 'workspaceId',
  effect: findRepair,
  async conclude(tx, { services, payload: { workspaceId } }, found) {
    if (found === undefined) return
    const { experimentId, personId } = found
    const experiment = await lockExperimentIfExists(tx, workspaceId, experimentId)
    if (experiment === undefined) return
    const wanted = {
      workspaceId,
      experimentId,
      purpose: 'repair',
      key: experiment.key,
      baseCommit: null,
    } as const
    if ((await sendPullRequest(tx, services, { settings: found }, { ...wanted, personId })) === undefined)
      return
    await auditByService(tx, services, workspaceId, {
      action: 'experiment.repair',
      resourceId: experimentId,
      summary: `The cleanup of ${auditLabel(experiment)} took away what other experiments need. A pull request puts it back`,
    })
  },
})

export async function sendRepair(
  tx: Transaction,
  { jobs }: Pick<Services, 'jobs'>,
  workspaceId: string,
): Promise<void> {
  await jobs.send(tx, repairJob, { workspaceId }, { key: `${workspaceId} repair` })
}

/** The newest cleanup that needs a repair. */
async function findRepair({
  services,
  payload: { workspaceId },
  signal,
}: JobAttempt<{ readonly workspaceId: string }>): Promise<PullRequestRow | undefined> {
  const repository = await services.repositories.of(workspaceId)
  if (repository === undefined) return undefined
  const base = await repository.host.head(signal)
  for (const row of await findRepairable(services.sql, workspaceId, repository.settings)) {
    const { files } = await repairOf({ services, repository, row, base }, signal)
    if (files.length > 0) return row
  }
  return undefined
}
