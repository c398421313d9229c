import type { Transaction } from '../../postgres/driver/client.js'
import { type PullRequest, type Snapshot, writeCleanupNote, writePullRequest } from '../experiments/index.js'
import type { Purpose } from './store.js'

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

function repairNote({ number, branch, state, error }: PullRequest): string | null {
  const named = `${number === null ? 'The pull request' : `Pull request ${number}`} (${branch})`
  const lost = 'The cleanup took away what other experiments need.'
  if (state === 'merged') return null
  if (state === 'open') return `${lost} ${named} puts it back: merge it`
  if (state === 'closed') return `${lost} ${named} would have put it back and was closed`
  return `${lost} It could not be put back: ${error ?? 'unknown'}`
}
