import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit.js'
import {
  auditLabel,
  type ExperimentRow,
  type PullRequest,
  type Snapshot,
  writeCleanupNote,
  writePullRequest,
} from '../experiments/index.js'
import type { Services } from '../services.js'
import type { PullRequestRow, Purpose } from './store.js'

/** Shows the state of a pull request with its experiment. A repair is a note on the cleanup. */
export async function recordShown(
  tx: Transaction,
  experimentId: string,
  purpose: Purpose,
  shown: PullRequest,
  at: Date,
  snapshot?: Snapshot | undefined,
): Promise<void> {
  if (purpose === 'repair') return writeCleanupNote(tx, experimentId, repairNote(shown), at)
  await writePullRequest(tx, experimentId, purpose, shown, at, snapshot)
}

const NOUNS = { pr: 'pull request', cleanup: 'cleanup', repair: 'repair' } as const
const ENDS = {
  opened: 'was opened',
  failed: 'could not be written',
  rewritten: 'was written again, because the base branch has moved on',
  merged: 'was merged',
  closed: 'was closed without a merge',
} as const

/**
 * Records what happened to a pull request: `experiment.merged`, or with the purpose
 * `experiment.cleanup-merged`.
 *
 * @param reason why it failed
 */
export async function auditPullRequest(
  tx: Transaction,
  services: Pick<Services, 'now' | 'newId'>,
  { workspaceId, purpose }: Pick<PullRequestRow, 'workspaceId' | 'purpose'>,
  experiment: Pick<ExperimentRow, 'id' | 'name'> | undefined,
  end: keyof typeof ENDS,
  reason?: string,
): Promise<void> {
  if (experiment === undefined) return
  await auditByService(tx, services, workspaceId, {
    action: `experiment.${purpose === 'pr' ? '' : `${purpose}-`}${end}`,
    resourceId: experiment.id,
    summary: `The ${NOUNS[purpose]} of ${auditLabel(experiment)} ${ENDS[end]}${reason === undefined ? '' : `: ${reason}`}`,
  })
}

function repairNote({ number, branch, state, error }: PullRequest): string | null {
  const named = `${number === null ? 'The pull request' : `Pull request ${number}`} (${branch})`
  const lost = 'The cleanup took away what other experiments need.'
  if (state === 'merged') return null
  if (state === 'open') return `${lost} ${named} puts it back: merge it`
  if (state === 'closed') return `${lost} ${named} would have put it back and was closed`
  return `${lost} It could not be put back: ${error ?? 'unknown'}`
}
