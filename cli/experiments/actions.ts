import type { ApiResponse, Input } from '../client/api.js'
import { usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { readBody } from '../files/read-body.js'
import { forEachId } from '../for-each-id.js'
import { printAnswer } from '../render/page.js'
import { formatTime } from '../render/terminal-style.js'
import {
  assertPullRequestOpened,
  describeStatus,
  type ExperimentStatus,
  type WaitFlags,
  waitForPullRequest,
  waitForStatus,
} from './status.js'

interface OverlapOptions extends WaitFlags {
  readonly acknowledgeOverlap?: boolean
}

interface DecideOptions extends WaitFlags {
  readonly ship?: string
  readonly reject?: boolean
  readonly reason?: string
  readonly force?: boolean
}

const TRANSITIONS = {
  start: 'startExperiment',
  pause: 'pauseExperiment',
  resume: 'resumeExperiment',
  end: 'endExperiment',
  ship: 'shipExperiment',
} as const
type Transition = keyof typeof TRANSITIONS

export async function createFromFile(context: Context, file: string, options: OverlapOptions): Promise<void> {
  const given = await readBody<'createExperiment'>(context, file, 'CreateExperiment')
  const body = options.acknowledgeOverlap ? { ...given, acknowledgeOverlap: true } : given
  const answer = await (await context.api()).call('createExperiment', { body })
  await printPullRequest(context, answer, options)
}

export async function requestPullRequest(context: Context, id: string, options: WaitFlags): Promise<void> {
  const answer = await (await context.api()).call('generatePullRequest', { path: { id } })
  await printPullRequest(context, answer, options)
}

export async function updateFromFile(
  context: Context,
  id: string,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const body = await readBody<'updateExperiment'>(context, file, 'UpdateExperiment')
  const answer = await (await context.api()).call('updateExperiment', { path: { id }, body })
  const fields = Object.keys(body).join(', ')
  await printAnswer(context, options, answer, (_, { key }) => `${key} is changed: ${fields}.\n`)
}

/** A pull request that was waited for and failed stops the rest. */
export async function approveProposals(
  context: Context,
  ids: readonly string[],
  options: OverlapOptions,
): Promise<void> {
  const api = await context.api()
  const body = options.acknowledgeOverlap ? { acknowledgeOverlap: true } : {}
  const run = async (id: string): Promise<ApiResponse<ExperimentStatus>> => {
    const answer = await api.call('approveProposal', { path: { id }, body })
    const last = await waitForPullRequest(context, answer, options)
    assertPullRequestOpened(last.body, options)
    return last
  }
  await forEachId(context, ids, options, run, describeStatus)
}

export async function dismissProposals(
  context: Context,
  ids: readonly string[],
  { json, reason, note }: CommonOptions & { readonly reason: string; readonly note?: string },
): Promise<void> {
  const api = await context.api()
  // The API knows the reasons, and names them if one is wrong.
  const reasons = reason
    .split(',')
    .map((word) => word.trim()) as unknown as Input<'dismissProposal'>['body']['reasons']
  const body = { reasons, ...(note === undefined ? {} : { note }) }
  const run = (id: string) => api.call('dismissProposal', { path: { id }, body })
  await forEachId(context, ids, { json }, run, describeStatus)
}

export async function changeStatus<T extends Transition>(
  context: Context,
  action: T,
  ids: readonly string[],
  body: NonNullable<Input<(typeof TRANSITIONS)[T]>['body']>,
  options: CommonOptions,
): Promise<void> {
  const api = await context.api()
  const operation = TRANSITIONS[action as Transition]
  const run = (id: string) => api.call(operation, { path: { id }, body: body as Record<string, never> })
  await forEachId(context, ids, options, run, describeStatus)
}

/** Without `--force` a decision waits for late conversions, and `--wait` waits for that. */
export async function decideExperiments(
  context: Context,
  ids: readonly string[],
  options: DecideOptions,
): Promise<void> {
  const { ship, reject, reason, force, wait, timeout } = options
  if (ship === undefined && !reject) throw usageError('give the decision: --ship VARIANT or --reject')
  const body: Input<'decideExperiment'>['body'] = {
    ...(ship === undefined ? { outcome: 'reject' } : { outcome: 'ship', variant: ship }),
    ...(reason === undefined ? {} : { reason }),
    ...(force ? { force } : {}),
  }
  const api = await context.api()
  const run = async (id: string): Promise<ApiResponse<ExperimentStatus>> => {
    const answer = await api.call('decideExperiment', { path: { id }, body })
    if (wait)
      return waitForStatus(context, id, `decision on ${id}`, (status) => status !== 'settling', timeout)
    const { status, decision } = answer.body
    if (status === 'settling' && !options.json)
      context.terminal.err(
        `Waiting for late conversions: it takes effect at ${formatTime(context.style(), decision?.settlesAt)}.\n`,
      )
    return answer
  }
  await forEachId(context, ids, options, run, describeStatus)
}

async function printPullRequest<Body extends ExperimentStatus>(
  context: Context,
  answer: ApiResponse<Body>,
  options: WaitFlags,
): Promise<void> {
  const last = await waitForPullRequest(context, answer, options)
  await printAnswer(context, options, last, (style, body) => `${describeStatus(style, body)}\n`)
  assertPullRequestOpened(last.body, options)
}
