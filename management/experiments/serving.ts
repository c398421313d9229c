import { oldestRelayVisit, readServingState, type ServedAs } from '../../postgres/tables/serving.js'
import type { Services } from '../services.js'
import type { ExperimentRow } from './types.js'

export interface ExperimentServing {
  /** `true`: each visitor's own variant. A variant key: that one for everybody. `false`: the control. */
  readonly state: ServedAs | false
  /** The oldest of the times at which the relays seen in the last hour asked; null if there are none. */
  readonly lastAskedAt: string | null
}

/** What sites show of an experiment now, and whether their relays can know it. */
export async function experimentServing(
  { sql }: Pick<Services, 'sql'>,
  workspaceId: string,
  { key }: Pick<ExperimentRow, 'key'>,
): Promise<ExperimentServing> {
  const [served, askedAt] = await Promise.all([
    readServingState(sql, workspaceId),
    oldestRelayVisit(sql, workspaceId),
  ])
  return { state: served[key] ?? false, lastAskedAt: askedAt?.toISOString() ?? null }
}
