import { findPersonName } from '../../postgres/tables/workspaces.js'
import { buildCleanup, composeAt, type WrittenFile } from '../code-changes/index.js'
import { type PlannedExperiment, readTeamNotes, type Snapshot } from '../experiments/index.js'
import { permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { cleanupText, experimentText, type PullRequestText, repairText } from './pull-request-text.js'
import { cleanupRequest, repairOf } from './repair.js'
import { findHelperUses, type PullRequestRow } from './store.js'

/** Author of all commits. */
export const AUTHOR = { name: 'svc', email: 'svc@localhost' }
const MAX_NOTES = 10

export interface ContentSource {
  readonly services: Services
  readonly repository: ConnectedRepository
  readonly experiment: PlannedExperiment
  readonly row: PullRequestRow
  /** The commit that the content is written against. */
  readonly base: string
}

export interface Content {
  readonly files: readonly WrittenFile[]
  readonly text: PullRequestText
  /** Undefined if the experiment keeps the snapshot that it was approved against. */
  readonly snapshot: Snapshot | undefined
}

/**
 * The content of a pull request against a commit. Rejects with RepositoryError, or with a permanent JobError
 * if the changes do not fit that commit or there is nothing to change.
 */
export function pullRequestContent(source: ContentSource, signal: AbortSignal): Promise<Content> {
  return CONTENTS[source.row.purpose](source, signal)
}

async function experimentContent(
  { services, repository, experiment, row, base }: ContentSource,
  signal: AbortSignal,
): Promise<Content> {
  const { composed, snapshot } = await composeAt(repository, base, experiment, signal)
  if (!composed.ok) {
    const [first] = [...composed.missing, ...composed.problems]
    throw permanent(`its changes do not fit the repository: ${first?.path ?? ''} ${first?.message ?? ''}`)
  }
  const { files } = composed
  const text = experimentText({ experiment, files, ...(await peopleAndNotes(services, experiment, row)) })
  return { files, text, snapshot: experiment.snapshot === null ? snapshot : undefined }
}

async function cleanupContent(
  { services, repository, experiment, row, base }: ContentSource,
  signal: AbortSignal,
): Promise<Content> {
  const uses = await findHelperUses(services.sql, row)
  const request = await cleanupRequest(services, experiment, { head: base, uses })
  const { files, conflicts } = await buildCleanup(repository, request, signal)
  if (files.length === 0) throw permanent(nothingToRemove(conflicts))
  const context = await peopleAndNotes(services, experiment, row)
  const { shipped } = request
  return { files, text: cleanupText({ experiment, shipped, conflicts, ...context }), snapshot: undefined }
}

async function repairContent(source: ContentSource, signal: AbortSignal): Promise<Content> {
  const { files, conflicts } = await repairOf(source, signal)
  if (files.length === 0) throw permanent('the base branch has what other experiments need')
  const { services, experiment, row } = source
  const { person } = await peopleAndNotes(services, experiment, row)
  return { files, text: repairText({ experiment, files, conflicts, person }), snapshot: undefined }
}

const CONTENTS = { pr: experimentContent, cleanup: cleanupContent, repair: repairContent }

function nothingToRemove(conflicts: readonly { readonly path: string; readonly message: string }[]): string {
  if (conflicts.length === 0) return 'its code has been removed already'
  const list = conflicts.map(({ path, message }) => `${path}: ${message}`).join('; ')
  return `its code has to be removed by hand: ${list}`.slice(0, 2_000)
}

async function peopleAndNotes(
  { sql }: Services,
  { changes, surfaces }: PlannedExperiment,
  { workspaceId, personId }: PullRequestRow,
) {
  const paths = [...changes, ...surfaces].map(({ path }) => path)
  return {
    person: personId === null ? undefined : await findPersonName(sql, workspaceId, personId),
    notes: paths.length === 0 ? [] : await readTeamNotes(sql, workspaceId, paths, MAX_NOTES),
  }
}
