import { pathProblem, placeProblem } from '../../repositories/path-policy.js'
import type { TreeEntry } from '../../repositories/port.js'
import { HELPER_FILE } from '../../variants/helper-name.js'
import { manifestPath } from '../../variants/manifest.js'
import { DomainError, type ErrorDetail, validationFailed } from '../domain-errors.js'
import type { Change, Snapshot } from '../experiments/index.js'
import type { ConnectedRepository } from '../repositories/index.js'
import { type Composed, compose, ownProblem, readPaths } from './compose.js'
import { helpersOf } from './helper-location.js'
import { type Found, readFiles } from './read-files.js'
import { findTemplate, renderingOf } from './server-rendering.js'
import { hasVariants, type Plan } from './write-changes.js'

/** The files that a plan writes at a commit. */
export interface PlannedWrite {
  readonly snapshot: Snapshot
  readonly composed: Composed
}

/** Reads the files of a plan at a commit and composes its changes. Rejects with RepositoryError. */
export async function composeAt(
  { host, settings }: ConnectedRepository,
  commit: string,
  plan: Plan,
  signal?: AbortSignal,
): Promise<PlannedWrite> {
  // The host must not see malformed paths.
  const safe = {
    ...plan,
    changes: plan.changes.filter(({ path }) => placeProblem(path, undefined) === undefined),
  }
  const { paths, beside } = readPaths(safe, settings)
  const found = await readFiles(host, commit, paths, beside, signal)
  const composed = await compose(plan, settings, found, {
    helper: await knownHelper({ host, settings }, found, plan, signal),
    read: (wanted) => readFiles(host, commit, wanted, [], signal),
    rendering: (sources) => renderingOf(host, commit, sources, signal),
    template: (sources) => findTemplate(host, commit, sources, signal),
  })
  return { snapshot: snapshotOf(found, plan.changes), composed }
}

/**
 * The helper of an earlier experiment, if this plan needs one: where it was written, else where people moved
 * it. Undefined if it has to be at the configured path.
 */
async function knownHelper(
  { host, settings }: Pick<ConnectedRepository, 'host' | 'settings'>,
  found: Found,
  { key, changes }: Plan,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!changes.some(hasVariants)) return undefined
  const [known] = await helpersOf(host, found.entries, manifestPath(key), signal)
  if (known === undefined) return undefined
  const places = [known, settings.helper ?? known]
  const entries = await host.entries(found.commit, places, signal)
  if (places.some((path) => entries.get(path)?.kind === 'file'))
    return settings.helper === null ? known : undefined
  const isHelper = ({ path }: TreeEntry) => path.slice(path.lastIndexOf('/') + 1) === HELPER_FILE
  return (await host.tree(found.commit, signal)).find(isHelper)?.path
}

function snapshotOf({ commit, entries }: Found, changes: readonly Change[]): Snapshot {
  return { commit, files: changes.map(({ path }) => ({ path, blob: entries.get(path)?.id ?? null })) }
}

/** At the head. Throws VALIDATION_FAILED, PROPOSAL_FILES_MISSING, RepositoryError. */
export async function checkDeclared(
  repository: ConnectedRepository,
  plan: Plan,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const commit = await repository.host.head(signal)
  const { composed, snapshot } = await composeAt(repository, commit, plan, signal)
  if (composed.ok) return snapshot
  if (composed.missing.length > 0) throw filesMissing(composed.missing)
  throw validationFailed(composed.problems)
}

/**
 * Without reading the repository. Throws VALIDATION_FAILED.
 *
 * @param allow globs of guarded paths
 */
export function checkPaths(changes: readonly Change[], allow: readonly string[]): void {
  const details = changes.flatMap(({ path }, index): ErrorDetail[] => {
    const problem = ownProblem(path, null) ?? pathProblem(path, { allow })
    return problem === undefined
      ? []
      : [{ path: `/changes/${index}/path`, message: `cannot be written: ${problem}` }]
  })
  if (details.length > 0) throw validationFailed(details)
}

/**
 * Checks a proposal against the head, from which its pull request will start. Throws PROPOSAL_FILES_MISSING,
 * then PROPOSAL_SNAPSHOT_STALE; rejects with RepositoryError.
 */
export async function checkProposal(
  repository: ConnectedRepository,
  plan: Plan,
  snapshot: Snapshot | null,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const { host, settings } = repository
  const { changes } = plan
  const commit = await host.head(signal)
  const entries = await host.entries(
    commit,
    changes.map(({ path }) => path),
    signal,
  )
  const blobOf = (path: string) => {
    const entry = entries.get(path)
    return entry?.kind === 'file' || entry?.kind === 'executable' ? entry.id : undefined
  }
  const missing = changes.flatMap(({ path, action }, index) =>
    action !== 'create' && blobOf(path) === undefined
      ? [{ path: `/changes/${index}/path`, message: `the repository has no file ${path} any more` }]
      : [],
  )
  if (missing.length > 0) throw filesMissing(missing)
  const stale = changes.flatMap(({ path, action }, index) => {
    const known = snapshot?.files.find((file) => file.path === path)
    const changed =
      action === 'create'
        ? entries.has(path)
        : known !== undefined && known.blob !== null && known.blob !== blobOf(path)
    const refused = pathProblem(path, { allow: settings.allow, entries })
    if (changed) return [{ path: `/changes/${index}/path`, message: `${path} has changed since it was read` }]
    return refused === undefined
      ? []
      : [{ path: `/changes/${index}/path`, message: `cannot be written: ${refused}` }]
  })
  if (stale.length > 0) throw snapshotStale(stale)
  // Other files that matter, such as the helper, may have changed as well.
  const { composed, snapshot: now } = await composeAt(repository, commit, plan, signal)
  if (!composed.ok) throw snapshotStale([...composed.missing, ...composed.problems])
  return now
}

function filesMissing(details: readonly ErrorDetail[]): DomainError {
  return new DomainError(
    'PROPOSAL_FILES_MISSING',
    `Files of the changes are missing: ${details[0]?.message ?? ''}`,
    details,
  )
}

export function snapshotStale(details: readonly ErrorDetail[]): DomainError {
  return new DomainError(
    'PROPOSAL_SNAPSHOT_STALE',
    `The repository has changed since this was proposed: ${details[0]?.message ?? ''}`,
    details,
  )
}
