import { manifestPath } from '../../variants/manifest.js'
import { buildRepair, type Cleanup, type CleanupRequest } from '../code-changes/index.js'
import { findExperimentWithChanges, type PlannedExperiment } from '../experiments/index.js'
import { permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { missingCode } from './code-in-base.js'
import { findHelperUses, findPullRequest, type HelperUse, type PullRequestRow } from './store.js'

/** The cleanup of a decided experiment. Throws a permanent JobError if it never had code. */
export async function cleanupRequest(
  { sql }: Pick<Services, 'sql'>,
  { id, key, decisionOutcome, decisionVariant }: PlannedExperiment,
  { head, uses }: { readonly head: string; readonly uses: readonly HelperUse[] },
): Promise<CleanupRequest> {
  const own = await findPullRequest(sql, id, 'pr')
  if (own?.commit === undefined || own.commit === null) throw permanent('the experiment never had code')
  const shipped = decisionOutcome === 'ship' ? decisionVariant : null
  return { key, shipped, written: own.commit, head, usedIn: new Set(uses.map(({ path }) => path)) }
}

export interface RepairSource {
  readonly services: Services
  readonly repository: ConnectedRepository
  /** The cleanup of an experiment, or its repair. */
  readonly row: PullRequestRow
  /** The head of the base branch. */
  readonly base: string
}

/** The files that the base branch lacks because of a merged cleanup, although code in it needs them. */
export async function repairOf(source: RepairSource, signal: AbortSignal): Promise<Cleanup> {
  const { services, repository, row, base } = source
  const uses = await brokenUses(source, signal)
  const cleanup = await findPullRequest(services.sql, row.experimentId, 'cleanup')
  if (uses.length === 0 || !cleanup?.baseCommit) return { files: [], conflicts: [] }
  const experiment = await findExperimentWithChanges(services.sql, row.workspaceId, row.experimentId)
  const request = await cleanupRequest(services, experiment, { head: cleanup.baseCommit, uses })
  return buildRepair(repository, { ...request, today: base }, signal)
}

/** The uses of the helper in the base branch. None if everything is there that they need. */
async function brokenUses(
  { services, repository, row, base }: RepairSource,
  signal: AbortSignal,
): Promise<HelperUse[]> {
  const merged = (await findHelperUses(services.sql, row)).filter(({ isMerged }) => isMerged)
  const manifests = merged.map(({ key }) => manifestPath(key))
  const entries = await repository.host.entries(base, manifests, signal)
  const uses = merged.filter(({ key }) => entries.has(manifestPath(key)))
  for (const { key, experimentId } of new Map(uses.map((use) => [use.key, use])).values()) {
    const own = await findPullRequest(services.sql, experimentId, 'pr')
    if ((await missingCode(repository, key, own, signal)) !== undefined) return uses
  }
  return []
}
