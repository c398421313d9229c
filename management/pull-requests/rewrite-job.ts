import { Type } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'
import type { RepositoryHost } from '../../repositories/port.js'
import { readFiles, toWrites, type WrittenFile } from '../code-changes/index.js'
import { findExperimentWithChanges, lockExperimentIfExists } from '../experiments/index.js'
import { defineJob, type JobAttempt } from '../jobs/definition.js'
import { JobError } from '../jobs/failure.js'
import type { Services } from '../services.js'
import { AUTHOR, type Content, pullRequestContent } from './content.js'
import { readFromHost } from './read-from-host.js'
import { auditPullRequest } from './record.js'
import {
  findPullRequest,
  isIn,
  markRewritten,
  openPullRequests,
  type PullRequestRow,
  type Purpose,
} from './store.js'

const payload = Type.Object({
  workspaceId: Type.String(),
  experimentId: Type.String(),
  purpose: Type.Union([Type.Literal('pr'), Type.Literal('cleanup'), Type.Literal('repair')]),
})
type Payload = Pick<PullRequestRow, 'workspaceId' | 'experimentId' | 'purpose'>

interface Rewritten extends Pick<Content, 'text'> {
  readonly row: PullRequestRow
  readonly base: string
  readonly commit: string
}

/**
 * Writes an open pull request again, against the head of the base branch, if its content would be another one
 * now. A branch that people have pushed to or checked out stays as it is.
 */
export const rewriteJob = defineJob({
  name: 'pull-request-rewrite',
  payload,
  concurrency: 4,
  serialBy: 'workspaceId',
  effect: rewrite,
  async conclude(tx, { services }, rewritten) {
    if (rewritten === undefined) return
    const { row, base, commit, text } = rewritten
    const experiment = await lockExperimentIfExists(tx, row.workspaceId, row.experimentId)
    if (await markRewritten(tx, row, { ...text, base, commit }, new Date(services.now())))
      await auditPullRequest(tx, services, row, experiment, 'rewritten')
  },
})

/** Sends a job for each other open pull request of these purposes in the repository of `row`. */
export async function sendRewrites(
  tx: Transaction,
  { jobs }: Pick<Services, 'jobs'>,
  row: PullRequestRow,
  purposes: readonly Purpose[],
): Promise<void> {
  const { workspaceId } = row
  for (const { id, experimentId, purpose } of await openPullRequests(tx, workspaceId, row))
    if (id !== row.id && purposes.includes(purpose))
      await jobs.send(
        tx,
        rewriteJob,
        { workspaceId, experimentId, purpose },
        { key: `${experimentId} ${purpose} rewrite` },
      )
}

async function rewrite({ services, payload, signal }: JobAttempt<Payload>): Promise<Rewritten | undefined> {
  const { workspaceId, experimentId, purpose } = payload
  const row = await findPullRequest(services.sql, experimentId, purpose)
  if (row?.state !== 'open' || row.commit === null || row.baseCommit === null) return undefined
  const repository = await services.repositories.of(workspaceId)
  if (repository === undefined || !isIn(row, repository.settings)) return undefined
  const { host } = repository
  const seen = await readFromHost(repository, row, signal)
  if (seen.state !== 'open' || seen.head !== row.commit) return undefined
  const experiment = await findExperimentWithChanges(services.sql, workspaceId, experimentId)
  const base = await host.head(signal)
  const content = await pullRequestContent({ services, repository, experiment, row, base }, signal).catch(
    (error: unknown) => {
      // It does not fit the head, or a repair is done. The first stays, and people see it at their host.
      if (error instanceof JobError && !error.retryable) return undefined
      throw error
    },
  )
  if (content === undefined) {
    const { branch, operation } = row
    if (purpose === 'repair') await host.deleteBranch({ branch, operation, author: AUTHOR }, signal)
    return undefined
  }
  const { files, text } = content
  if (await isWritten(host, { from: row.baseCommit, commit: row.commit }, files, signal)) return undefined
  const { branch, operation, createdAt, commit: replaces } = row
  const { commit } = await host.createBranch(
    {
      branch,
      base,
      message: text.message,
      author: AUTHOR,
      date: createdAt,
      operation,
      files: toWrites(files),
      replaces,
    },
    signal,
  )
  return commit === row.commit ? undefined : { row, base, commit, text }
}

/** Whether a commit on top of another one changes exactly these files in exactly this way. */
async function isWritten(
  host: RepositoryHost,
  { from, commit }: { readonly from: string; readonly commit: string },
  files: readonly WrittenFile[],
  signal: AbortSignal,
): Promise<boolean> {
  const after = new Map(
    files.filter((file) => file.before !== file.after).map((file) => [file.path, file.after]),
  )
  const compared = await host.compare(from, commit, signal)
  const changed = new Set(compared.files.flatMap(({ path, previousPath }) => [path, previousPath ?? path]))
  if (changed.size !== after.size || ![...changed].every((path) => after.has(path))) return false
  const written = await readFiles(host, commit, [...after.keys()], [], signal)
  return [...after].every(([path, text]) => (written.files.get(path)?.text ?? null) === text)
}
