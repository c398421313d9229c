import { Type } from '@sinclair/typebox'
import { dayOf } from '../../domain/day.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { findRepository } from '../../postgres/tables/repositories.js'
import type { PullRequest as HostPullRequest } from '../../repositories/port.js'
import { toWrites } from '../code-changes/index.js'
import {
  type ExperimentRow,
  findExperimentWithChanges,
  lockExperimentIfExists,
  transitionExperiment,
} from '../experiments/index.js'
import { defineJob, type JobAttempt } from '../jobs/definition.js'
import { permanent } from '../jobs/failure.js'
import type { Jobs, SentJob } from '../jobs-port.js'
import type { Services } from '../services.js'
import { AUTHOR, type Content, pullRequestContent } from './content.js'
import { auditPullRequest, recordShown } from './record.js'
import { sendRewrites } from './rewrite-job.js'
import {
  findPullRequest,
  fixBase,
  insertPullRequest,
  isIn,
  isToBeWritten,
  markFailed,
  markOpen,
  type NewPullRequest,
  type PullRequestRow,
  pullRequestBranch,
} from './store.js'

const payload = Type.Object({
  workspaceId: Type.String(),
  experimentId: Type.String(),
  purpose: Type.Union([Type.Literal('pr'), Type.Literal('cleanup'), Type.Literal('repair')]),
})
type Payload = Pick<PullRequestRow, 'workspaceId' | 'experimentId' | 'purpose'>

interface Written extends Pick<Content, 'text' | 'snapshot'> {
  readonly row: PullRequestRow
  readonly opened: HostPullRequest & { readonly commit: string }
}

/**
 * Writes a branch with one commit, and opens its pull request. The base commit is stored before anything is
 * written, and the host finds the branch and the pull request of an earlier attempt by their operation, so
 * there is one of each.
 */
export const pullRequestJob = defineJob({
  name: 'pull-request',
  payload,
  concurrency: 8,
  serialBy: 'workspaceId',
  effect: write,
  async conclude(tx, { services, payload: { workspaceId, experimentId, purpose } }, written) {
    if (written === undefined) return
    // Experiment before pull request: every writer locks in this order.
    const experiment = await lockExperimentIfExists(tx, workspaceId, experimentId)
    const at = new Date(services.now())
    const { row, opened, text, snapshot } = written
    const shown = await markOpen(tx, row, { ...opened, ...text }, at)
    if (shown === undefined) return
    await auditPullRequest(tx, services, row, experiment, 'opened')
    if (purpose === 'pr')
      await transitionExperiment(tx, workspaceId, experimentId, { name: 'prWritten', outcome: 'opened' }, at)
    await recordShown(tx, experimentId, purpose, shown, at, snapshot)
    if (purpose === 'pr') await sendRewrites(tx, services, row, ['cleanup'])
  },
  async failed(tx, { services, payload }, reason) {
    const { workspaceId, experimentId, purpose } = payload
    const experiment = await lockExperimentIfExists(tx, workspaceId, experimentId)
    const row = await findPullRequest(tx, experimentId, purpose)
    if (row === undefined) return
    const at = new Date(services.now())
    const retry = purpose !== 'pr' ? cleanupRetry(row, at) : undefined
    const error = retry === undefined ? reason : `${reason}. svc tries again until ${retry.until}`
    const shown = await markFailed(tx, row, error, at)
    if (shown === undefined) return
    await auditPullRequest(tx, services, row, experiment, 'failed', error)
    if (purpose === 'pr')
      await transitionExperiment(tx, workspaceId, experimentId, { name: 'prWritten', outcome: 'failed' }, at)
    await recordShown(tx, experimentId, purpose, shown, at)
    if (retry !== undefined) await sendJob(tx, services.jobs, payload, retry.afterMs)
    await services.jobs.send(tx, removeBranchJob, payload, { key: `${experimentId} ${purpose} branch` })
  },
})

/** Removes the branch that a failed pull request may have left, so that its name is free again. */
export const removeBranchJob = defineJob({
  name: 'pull-request-branch',
  payload,
  concurrency: 2,
  serialBy: 'workspaceId',
  async effect({ services, payload: { workspaceId, experimentId, purpose }, signal }) {
    const row = await findPullRequest(services.sql, experimentId, purpose)
    const repository = await services.repositories.of(workspaceId)
    if (row?.state !== 'failed' || repository === undefined || !isIn(row, repository.settings)) return
    const { branch, operation } = row
    await repository.host.deleteBranch({ branch, operation, author: AUTHOR }, signal)
  },
  async conclude() {},
})

/** People cannot ask for a cleanup again, so it is retried for two weeks. */
const CLEANUP_RETRY_MS = 14 * 86_400_000
const MIN_RETRY_MS = 3_600_000

/** The pause before the next attempt is the age of the cleanup, at least an hour. */
function cleanupRetry(
  { createdAt }: Pick<PullRequestRow, 'createdAt'>,
  at: Date,
): { readonly afterMs: number; readonly until: string } | undefined {
  const age = at.getTime() - createdAt.getTime()
  if (age >= CLEANUP_RETRY_MS) return undefined
  const until = dayOf(createdAt.getTime() + CLEANUP_RETRY_MS)
  return { afterMs: Math.max(MIN_RETRY_MS, age), until }
}

/** Sends the job. Undefined if the experiment has a pull request of this purpose already. */
export async function sendPullRequest(
  tx: Transaction,
  { jobs, newId, now }: Pick<Services, 'jobs' | 'newId' | 'now'>,
  { settings }: { readonly settings: Parameters<typeof insertPullRequest>[1] },
  { key, ...wanted }: Omit<NewPullRequest, 'id' | 'branch' | 'at'> & { readonly key: string },
): Promise<SentJob | undefined> {
  const row = { ...wanted, id: newId(), branch: pullRequestBranch(key, wanted.purpose), at: new Date(now()) }
  if (!(await insertPullRequest(tx, settings, row))) return undefined
  return sendJob(tx, jobs, wanted)
}

/**
 * Sends the pull request that removes the code of a decided experiment, once. Does nothing if the code was
 * never merged or its repository is not connected any more.
 */
export async function requestCleanup(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: Pick<ExperimentRow, 'id' | 'key' | 'decisionPersonId'>,
): Promise<void> {
  const own = await findPullRequest(tx, row.id, 'pr')
  if (own?.state !== 'merged') return
  const settings = await findRepository(tx, workspaceId)
  if (settings === undefined || !isIn(own, settings)) return
  await sendPullRequest(
    tx,
    services,
    { settings },
    {
      workspaceId,
      experimentId: row.id,
      purpose: 'cleanup',
      key: row.key,
      baseCommit: null,
      personId: row.decisionPersonId,
    },
  )
}

function sendJob(
  tx: Transaction,
  jobs: Jobs,
  { workspaceId, experimentId, purpose }: Payload,
  startAfterMs = 0,
): Promise<SentJob> {
  const key = `${experimentId} ${purpose}`
  return jobs.send(tx, pullRequestJob, { workspaceId, experimentId, purpose }, { key, startAfterMs })
}

async function write({ services, payload, signal }: JobAttempt<Payload>): Promise<Written | undefined> {
  const { workspaceId, experimentId, purpose } = payload
  const row = await findPullRequest(services.sql, experimentId, purpose)
  if (row === undefined || !isToBeWritten(row)) return undefined
  const repository = await services.repositories.of(workspaceId)
  if (repository === undefined || !isIn(row, repository.settings))
    throw permanent('its repository is not connected any more')
  const { host } = repository
  const experiment = await findExperimentWithChanges(services.sql, workspaceId, experimentId)
  const base = await fixBase(services.sql, row.id, row.baseCommit ?? (await host.head(signal)))
  const { files, text, snapshot } = await pullRequestContent(
    { services, repository, experiment, row, base },
    signal,
  )
  const { branch, operation, createdAt } = row
  const { message, title, body } = text
  const { commit } = await host.createBranch(
    { branch, base, message, author: AUTHOR, date: createdAt, operation, files: toWrites(files) },
    signal,
  )
  const opened = await host.openPullRequest({ branch, title, body, commit, operation }, signal)
  return { row, opened: { ...opened, commit }, text, snapshot }
}
