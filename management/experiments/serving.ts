import { oldestRelayVisit, readServingState } from '../../postgres/tables/serving.js'
import type { Services } from '../services.js'
import type { ExperimentRow } from './types.js'

/**
 * The state of an experiment on sites now, and whether their relays can know it.
 *
 * @returns `state`: as `ServedAs`, or false for the control. `lastAskedAt`: the oldest of the times at
 * which the relays seen in the last hour asked; null if there are none
 */
export async function experimentServing(
  { sql }: Pick<Services, 'sql'>,
  workspaceId: string,
  { key, status }: Pick<ExperimentRow, 'key' | 'status'>,
) {
  // Only a winner depends on more than the status: on when its cleanup was merged.
  const [served, askedAt] = await Promise.all([
    status === 'shipped' ? readServingState(sql, workspaceId, key) : { [key]: status === 'running' },
    oldestRelayVisit(sql, workspaceId),
  ])
  return { state: served[key] ?? false, lastAskedAt: askedAt?.toISOString() ?? null }
}
