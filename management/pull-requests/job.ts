import { Type } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'
import type { PullRequest as HostPullRequest } from '../../repositories/port.js'
import {
  findExperimentWithChanges,
  lockExperimentById,
  type PlannedExperiment,
  pullRequestFailed,
  pullRequestOpened,
  readTeamNotes,
  type Subject,
} from '../experiments/pull-request-moves.js'
import type { Snapshot } from '../experiments/types.js'
import { defineJob, HOST_RETRY, type Work } from '../jobs/definition.js'
import { permanent } from '../jobs/failure.js'
import type { Jobs, SentJob } from '../jobs/port.js'
import type { ConnectedRepository } from '../repositories/connected.js'
import type { Services } from '../services.js'
import { buildCleanup } from './build-cleanup.js'
import { toWrites } from './compose.js'
import { composeAt } from './prepare.js'
import {
  findPullRequest,
  fixBase,
  insertPullRequest,
  isToBeWritten,
  markFailed,
  markOpen,
  nameOfPerson,
  type PullRequestRow,
} from './store.js'
import { cleanupWords, experimentWords, type PullRequestWords } from './text.js'
import type { WrittenFile } from './writing/changes.js'

const NOTES = 10

const payload = Type.Object({
  workspaceId: Type.String(),
  experimentId: Type.String(),
  purpose: Type.Union([Type.Literal('pr'), Type.Literal('cleanup')]),
})

/** What a try came to. */
interface Written {
  readonly row: PullRequestRow
  readonly opened: HostPullRequest & { readonly commit: string }
  readonly words: PullRequestWords
  readonly snapshot: Snapshot | undefined
}

/**
 * Writes a pull request: one commit of all files on a branch of its own, and what people see of it. Where the branch starts is noted before anything is made, and
 * the host finds branch and pull request of an earlier try by the operation that they carry: however often this is begun, there is one of each.
 */
export const pullRequestJob = defineJob({
  name: 'pull-request',
  payload,
  concurrency: 8,
  serialBy: 'workspaceId',
  retry: HOST_RETRY,
  effect: write,
  async conclude(tx, { services, payload: { purpose, ...subject } }, written) {
    if (written === undefined) return
    await lockExperimentById(tx, subject.workspaceId, subject.experimentId)
    const { opened, words } = written
    const shown = await markOpen(tx, written.row, { ...opened, ...words }, new Date(services.now()))
    if (shown !== undefined) await pullRequestOpened(tx, services, subject, purpose, shown, written.snapshot)
  },
  async failed(tx, { services, payload: { purpose, ...subject } }, reason) {
    await lockExperimentById(tx, subject.workspaceId, subject.experimentId)
    const row = await findPullRequest(tx, subject.experimentId, purpose)
    if (row === undefined) return
    const at = new Date(services.now())
    const again = purpose === 'cleanup' ? triedAgain(row, at) : undefined
    const error = again === undefined ? reason : `${reason}; tried again by itself until ${again.until}`
    const shown = await markFailed(tx, row, error, at)
    if (shown === undefined) return
    await pullRequestFailed(tx, services, subject, purpose, shown)
    if (again !== undefined) await sendJob(tx, services.jobs, { ...subject, purpose }, again.afterMs)
  },
})

/** Nobody can ask once more for code to be taken out, so what stood in the way, a host away for long or a branch of the same name, is waited for this long. */
const CLEANUP_AGAIN_MS = 14 * 86_400_000
const FIRST_AGAIN_MS = 3_600_000

/** When a cleanup that has failed is tried again: after an hour at least, then after as long as it has been wanted. */
function triedAgain(
  { createdAt }: Pick<PullRequestRow, 'createdAt'>,
  at: Date,
): { readonly afterMs: number; readonly until: string } | undefined {
  const age = at.getTime() - createdAt.getTime()
  if (age >= CLEANUP_AGAIN_MS) return undefined
  const until = new Date(createdAt.getTime() + CLEANUP_AGAIN_MS).toISOString().slice(0, 10)
  return { afterMs: Math.max(FIRST_AGAIN_MS, age), until }
}

export interface WantedPullRequest extends Subject {
  readonly purpose: 'pr' | 'cleanup'
  readonly key: string
  /** Where it starts; null: at the head that the base branch has when it is written. */
  readonly baseCommit: string | null
  /** For whom. */
  readonly personId: string | null
}

/** Has a pull request written, in the transaction of what wants it. Undefined where the experiment has one of this purpose already. */
export async function sendPullRequest(
  tx: Transaction,
  { jobs, newId, now }: Pick<Services, 'jobs' | 'newId' | 'now'>,
  { settings }: Pick<ConnectedRepository, 'settings'>,
  { workspaceId, experimentId, purpose, key, baseCommit, personId }: WantedPullRequest,
): Promise<SentJob | undefined> {
  const inserted = await insertPullRequest(tx, settings, {
    id: newId(),
    workspaceId,
    experimentId,
    purpose,
    branch: purpose === 'pr' ? `svc/${key}` : `svc/${key}-cleanup`,
    baseCommit,
    personId,
    at: new Date(now()),
  })
  if (!inserted) return undefined
  return sendJob(tx, jobs, { workspaceId, experimentId, purpose })
}

function sendJob(
  tx: Transaction,
  jobs: Jobs,
  payload: Pick<WantedPullRequest, 'workspaceId' | 'experimentId' | 'purpose'>,
  startAfterMs = 0,
): Promise<SentJob> {
  const key = `${payload.experimentId} ${payload.purpose}`
  return jobs.send(tx, pullRequestJob, payload, { key, startAfterMs })
}

async function write({
  services,
  payload,
  signal,
}: Work<{
  workspaceId: string
  experimentId: string
  purpose: 'pr' | 'cleanup'
}>): Promise<Written | undefined> {
  const { workspaceId, experimentId, purpose } = payload
  const row = await findPullRequest(services.sql, experimentId, purpose)
  if (row === undefined || !isToBeWritten(row)) return undefined
  const repository = await services.repositories.of(workspaceId)
  if (repository === undefined || !isOf(row, repository))
    throw permanent('the repository that it was to be written in is not connected any more')
  const experiment = await findExperimentWithChanges(services.sql, workspaceId, experimentId)
  const base = await fixBase(services.sql, row.id, row.baseCommit ?? (await repository.host.head(signal)))
  const content = await (purpose === 'pr' ? experimentContent : cleanupContent)(
    services,
    repository,
    experiment,
    row,
    base,
    signal,
  )
  const { commit } = await repository.host.createBranch(
    {
      branch: row.branch,
      base,
      message: content.words.message,
      author: AUTHOR,
      date: row.createdAt,
      operation: row.operation,
      files: toWrites(content.files),
    },
    signal,
  )
  const { title, body } = content.words
  const opened = await repository.host.openPullRequest(
    { branch: row.branch, title, body, commit, operation: row.operation },
    signal,
  )
  return { row, opened: { ...opened, commit }, words: content.words, snapshot: content.snapshot }
}

/** Commits are svc's; for whom they are made stands in their message. */
const AUTHOR = { name: 'svc', email: 'svc@localhost' }

/** Whether a pull request is in a repository. */
export function isOf(
  row: Pick<PullRequestRow, 'kind' | 'location'>,
  { settings }: ConnectedRepository,
): boolean {
  return row.kind === settings.kind && row.location === settings.location
}

interface Content {
  readonly files: readonly WrittenFile[]
  readonly words: PullRequestWords
  readonly snapshot: Snapshot | undefined
}

async function experimentContent(
  services: Services,
  repository: ConnectedRepository,
  experiment: PlannedExperiment,
  row: PullRequestRow,
  base: string,
  signal: AbortSignal,
): Promise<Content> {
  const { composed, snapshot } = await composeAt(repository, base, experiment, signal)
  if (!composed.ok) {
    const [first] = [...composed.missing, ...composed.problems]
    throw permanent(`its changes do not fit the repository: ${first?.path ?? ''} ${first?.message ?? ''}`)
  }
  const { files } = composed
  const words = experimentWords({ experiment, files, ...(await told(services, experiment, row)) })
  // One that it was approved against stays.
  return { files, words, snapshot: experiment.snapshot === null ? snapshot : undefined }
}

async function cleanupContent(
  services: Services,
  repository: ConnectedRepository,
  experiment: PlannedExperiment,
  row: PullRequestRow,
  base: string,
  signal: AbortSignal,
): Promise<Content> {
  const { key } = experiment
  const shipped = experiment.decisionOutcome === 'ship' ? experiment.decisionVariant : null
  const own = await findPullRequest(services.sql, experiment.id, 'pr')
  if (own?.commit === undefined || own.commit === null) throw permanent('the experiment never had code')
  const { files, conflicts } = await buildCleanup(
    repository,
    { key, shipped, written: own.commit, head: base },
    signal,
  )
  if (files.length === 0)
    throw permanent(
      conflicts.length === 0
        ? 'there is nothing left to take out'
        : `nothing could be taken out by itself: ${conflicts.map(({ path, message }) => `${path}: ${message}`).join('; ')}`.slice(
            0,
            2_000,
          ),
    )
  const words = cleanupWords({ experiment, shipped, conflicts, ...(await told(services, experiment, row)) })
  return { files, words, snapshot: undefined }
}

async function told(
  { sql }: Services,
  { changes, surfaces }: PlannedExperiment,
  { workspaceId, personId }: PullRequestRow,
) {
  const paths = [...changes, ...surfaces].map(({ path }) => path)
  return {
    person: await nameOfPerson(sql, workspaceId, personId),
    notes: paths.length === 0 ? [] : await readTeamNotes(sql, workspaceId, paths, NOTES),
  }
}
