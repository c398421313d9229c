import type { Transaction } from '../../postgres/driver/client.js'
import { findRepository } from '../../postgres/tables/repositories.js'
import type { ExperimentRow } from '../experiments/types.js'
import type { Services } from '../services.js'
import { sendPullRequest } from './job.js'
import { findPullRequest } from './store.js'

/**
 * Has the code of a decided experiment taken out of the repository that it was merged into. Nothing is to be done where it has none there, or where that repository is not
 * connected any more. As often as it is asked for, there is one.
 */
export async function requestCleanup(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: Pick<ExperimentRow, 'id' | 'key' | 'decisionPersonId'>,
): Promise<void> {
  const own = await findPullRequest(tx, row.id, 'pr')
  if (own?.state !== 'merged') return
  const settings = await findRepository(tx, workspaceId)
  if (settings === undefined || settings.kind !== own.kind || settings.location !== own.location) return
  await sendPullRequest(
    tx,
    services,
    { settings },
    {
      workspaceId,
      experimentId: row.id,
      purpose: 'cleanup',
      key: row.key,
      baseCommit: null,
      personId: row.decisionPersonId,
    },
  )
}
