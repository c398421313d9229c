import { findPersonName } from '../../postgres/tables/workspaces.js'
import { buildCleanup, composeAt, type WrittenFile } from '../code-changes/index.js'
import { type PlannedExperiment, readTeamNotes, type Snapshot } from '../experiments/index.js'
import { permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { cleanupText, experimentText, type PullRequestText } from './pull-request-text.js'
import { filesUsingHelper, findPullRequest, type PullRequestRow } from './store.js'

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
 * What a pull request contains against a commit. Rejects with RepositoryError, or with a permanent JobError
 * if the changes do not fit that commit or there is nothing to change.
 */
export function pullRequestContent(source: ContentSource, signal: AbortSignal): Promise<Content> {
  return source.row.purpose === 'pr' ? experimentContent(source, signal) : cleanupContent(source, signal)
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
  const { key } = experiment
  const shipped = experiment.decisionOutcome === 'ship' ? experiment.decisionVariant : null
  const own = await findPullRequest(services.sql, experiment.id, 'pr')
  if (own?.commit === undefined || own.commit === null) throw permanent('the experiment never had code')
  const usedIn = await filesUsingHelper(services.sql, row)
  const request = { key, shipped, written: own.commit, head: base, usedIn }
  const { files, conflicts } = await buildCleanup(repository, request, signal)
  if (files.length === 0) throw permanent(nothingToRemove(conflicts))
  const context = await peopleAndNotes(services, experiment, row)
  return { files, text: cleanupText({ experiment, shipped, conflicts, ...context }), snapshot: undefined }
}

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
