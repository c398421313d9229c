import type { Status } from '../../domain/lifecycle.js'
import { statusLabel } from '../../domain/text/labels.js'
import type { ApiResponse, Result } from '../client/api.js'
import { refusedError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls } from '../output.js'
import { printAnswer } from '../render/page.js'
import { colorize, statusColor, type TerminalStyle } from '../render/terminal-style.js'
import { pollUntilDone } from '../wait.js'

export type ExperimentStatus = Pick<Result<'getExperimentStatus'>, 'id' | 'key' | 'status' | 'pullRequest'>

export interface WaitFlags extends CommonOptions {
  readonly wait?: boolean
  readonly timeout?: number
}

interface StatusOptions extends WaitFlags {
  readonly until?: readonly Status[]
}

/** Settled statuses that make `--wait` exit with 1. */
const LOST: readonly Status[] = ['pr_failed', 'rejected']

export function describeStatus(style: TerminalStyle, { key, status, pullRequest }: ExperimentStatus): string {
  const { number = null, url = null, branch, state, error = null } = pullRequest ?? {}
  // A pull request in a local repository has no address.
  const place = url ?? (number === null ? null : `#${number} on ${branch}`)
  const cleanup =
    status === 'shipped' ? `. See its cleanup pull request with: svc experiments show ${key}` : ''
  return [
    `${key} is ${colorize(style, statusColor(status), statusLabel(status))}.`,
    ...(place === null ? [] : [`Pull request ${state}: ${escapeControls(place)}${cleanup}`]),
    ...(error === null ? [] : [escapeControls(error)]),
  ].join(' ')
}

/** Shows the status, or waits for one. A settled status other than the one waited for exits with 1. */
export async function showStatus(context: Context, id: string, options: StatusOptions): Promise<void> {
  const { until, timeout } = options
  const waits = options.wait === true || until !== undefined
  const isWanted = (status: Status): boolean => until?.includes(status) ?? false
  const wanted = until?.map(statusLabel).join(' or ')
  const answer = waits
    ? await waitForStatus(context, id, `${id} until ${wanted ?? 'settled'}`, isWanted, timeout)
    : await (await context.api()).call('getExperimentStatus', { path: { id } })
  const { body } = answer
  await printAnswer(context, options, answer, (style) => `${describeStatus(style, body)}\n`)
  if (!waits || isWanted(body.status)) return
  if (until !== undefined || LOST.includes(body.status))
    throw refusedError(
      `${body.key} is settled as ${statusLabel(body.status)}${wanted === undefined ? '' : `, and will not be ${wanted}`}`,
      'SETTLED',
      [`try: svc experiments show ${body.key}`],
    )
}

export async function waitForStatus(
  context: Context,
  id: string,
  what: string,
  until: (status: Status) => boolean,
  timeoutSeconds?: number,
): Promise<ApiResponse<Result<'getExperimentStatus'>>> {
  const api = await context.api()
  return pollUntilDone(context, {
    what,
    timeoutSeconds,
    retryCommand: `svc experiments status ${id}`,
    poll: (signal) => api.call('getExperimentStatus', { path: { id } }, signal),
    isDone: ({ body }) => body.settled || until(body.status),
    describe: ({ body }) => statusLabel(body.status),
  })
}

/** With `--wait`: waits until the pull request is written, and returns the last answer. */
export async function waitForPullRequest<Body extends ExperimentStatus>(
  context: Context,
  answer: ApiResponse<Body>,
  { wait, timeout }: WaitFlags,
): Promise<ApiResponse<ExperimentStatus>> {
  const isWriting = (status: Status): boolean => status === 'generating_pr'
  if (!wait || !isWriting(answer.body.status)) return answer
  const { key } = answer.body
  return waitForStatus(context, key, `pull request of ${key}`, (status) => !isWriting(status), timeout)
}

/** @throws CommandError if the pull request was waited for and could not be written */
export function assertPullRequestOpened(
  { key, status, pullRequest }: ExperimentStatus,
  { wait }: WaitFlags,
): void {
  if (wait && status === 'pr_failed')
    throw refusedError(
      `the pull request of ${key} could not be written: ${pullRequest?.error ?? 'no reason was recorded'}`,
      'PR_FAILED',
      [`try: svc experiments show ${key}`],
    )
}
