import { locateFiles } from '../../repositories/locate.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { HELPER_FILE, mentionsHelper } from '../../variants/helper-name.js'
import { manifestPath, readManifest } from '../../variants/manifest.js'
import type { Manifest } from '../../variants/port.js'
import { readFiles } from '../code-changes/index.js'
import type { PlannedExperiment, StartCheck } from '../experiments/index.js'
import { type ConnectedRepository, repositoryDomainError } from '../repositories/index.js'
import type { Services } from '../services.js'
import { findPullRequest, isIn, type PullRequestRow } from './store.js'

/**
 * Whether the manifest of an experiment, its helper and the references to it are in the base branch.
 * Undefined if there is nothing to look for: no changes, or their repository is not connected.
 *
 * @throws DomainError if the repository cannot be used or does not answer in time
 */
export async function findCodeInBase(
  services: Services,
  workspaceId: string,
  experiment: Pick<PlannedExperiment, 'id' | 'key' | 'changes'>,
  limitMs: number,
  signal: AbortSignal,
): Promise<StartCheck | undefined> {
  if (experiment.changes.length === 0) return undefined
  try {
    const repository = await services.repositories.of(workspaceId)
    if (repository === undefined) return undefined
    const row = await findPullRequest(services.sql, experiment.id, 'pr')
    if (row !== undefined && !isIn(row, repository.settings)) return undefined
    const asked = missingCode(repository, experiment.key, row, deadlineSignal(limitMs, signal))
    const missing = await withTimeout(limitMs, 'the repository', asked)
    return missing === undefined
      ? { ok: true, message: 'The code of the experiment is in the base branch' }
      : { ok: false, message: missing }
  } catch (error) {
    throw repositoryDomainError(error)
  }
}

/** The same for readiness: a repository that does not answer is a check that fails. Never rejects. */
export async function codeInBaseCheck(
  ...[services, workspaceId, experiment, limitMs, signal]: Parameters<typeof findCodeInBase>
): Promise<StartCheck | undefined> {
  try {
    return await findCodeInBase(services, workspaceId, experiment, limitMs, signal)
  } catch (error) {
    services.logger.debug({ err: error, workspaceId }, 'Code not looked for: repository did not answer')
    return { ok: false, message: 'The repository did not say whether the code is in the base branch' }
  }
}

/** The missing code, and what to do. Undefined if everything is there. Rejects with RepositoryError. */
export async function missingCode(
  repository: ConnectedRepository,
  key: string,
  row: PullRequestRow | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { host } = repository
  const own = manifestPath(key)
  const head = await host.head(signal)
  const text = (await readFiles(host, head, [own], [], signal)).files.get(own)?.text
  if (text === undefined)
    return row === undefined
      ? 'The code of the experiment is not in the base branch: generate its pull request and merge it'
      : `The base branch lacks ${own}: merge the pull request of the experiment, or take back its removal`
  const read = readManifest(text, key)
  if (!read.ok) return `${own} in the base branch cannot be used, because ${read.message}: restore it`
  const { helper } = read.manifest
  if (helper === null) return undefined
  if (!(await hasHelper(repository, head, helper, signal)))
    return `The base branch lacks the helper ${helper}: restore it, or reject the experiment and declare it again`
  const path = await withoutReference(repository, head, read.manifest, row, signal)
  if (path === undefined) return undefined
  return `${path} in the base branch does not load the helper ${helper}: restore its import or script tag`
}

/** Whether the helper is at its path, or anywhere else if people moved it. */
async function hasHelper(
  { host }: ConnectedRepository,
  head: string,
  helper: string,
  signal: AbortSignal,
): Promise<boolean> {
  if ((await host.entries(head, [helper], signal)).has(helper)) return true
  return (await host.tree(head, signal)).some(
    ({ path }) => path === HELPER_FILE || path.endsWith(`/${HELPER_FILE}`),
  )
}

/** A file with variants that does not mention the helper. Files that people moved are followed. */
async function withoutReference(
  { host }: ConnectedRepository,
  head: string,
  { files }: Manifest,
  row: PullRequestRow | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const paths = Object.entries(files)
    .filter(
      ([, file]) =>
        file.action === 'modify' && file.regions.some(({ variants }) => Object.keys(variants).length > 0),
    )
    .map(([path]) => path)
  const now = await readFiles(host, head, paths, [], signal)
  const gone = paths.filter((path) => !now.entries.has(path))
  const moved = gone.length === 0 || !row?.commit ? [] : await movesOf(host, row.commit, head, gone, signal)
  const movedTexts = await readFiles(host, head, moved, [], signal)
  const texts = [...now.files, ...movedTexts.files]
  const lost = gone.length > moved.length ? gone[0] : undefined
  return lost ?? texts.find(([, { text }]) => text !== undefined && !mentionsHelper(text))?.[0]
}

async function movesOf(
  host: ConnectedRepository['host'],
  from: string,
  to: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const before = await readFiles(host, from, paths, [], signal)
  const files = paths.map((path) => ({ path, blob: before.files.get(path)?.blob ?? null }))
  const located = await locateFiles(host, { from, to, files }, signal)
  return located.flatMap(({ movedTo }) => (movedTo === null ? [] : [movedTo]))
}
