import type { ApiResponse } from '../client/api.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { describeStatus, type ExperimentStatus } from './describe-status.js'
import { waitForStatus } from './wait-for-status.js'

export interface PullRequestOptions extends CommonOptions {
  readonly wait?: boolean
  readonly timeout?: number
}

/** Waits, where asked to, until the pull request of an experiment is written; the answer is the last one there was. */
export async function waitForPullRequest<Body extends ExperimentStatus>(
  context: Context,
  answer: ApiResponse<Body>,
  { wait, timeout }: PullRequestOptions,
): Promise<ApiResponse<ExperimentStatus>> {
  if (!wait || answer.body.status !== 'generating_pr') return answer
  const { key } = answer.body
  return waitForStatus(
    context,
    key,
    `pull request of ${key}`,
    (status) => status !== 'generating_pr',
    timeout,
  )
}

/** Says where it stands; throws where the pull request could not be written and that was waited for. */
export function printPullRequest(
  context: Context,
  { text, body }: ApiResponse<ExperimentStatus>,
  options: PullRequestOptions,
): void {
  context.terminal.out(options.json ? `${text}\n` : `${describeStatus(context.style(), body)}\n`)
  assertPullRequestOpened(body, options)
}

export function assertPullRequestOpened(
  { key, status, pullRequest }: ExperimentStatus,
  { wait }: PullRequestOptions,
): void {
  if (wait && status === 'pr_failed')
    throw new CommandError(
      EXIT.refused,
      `the pull request of ${key} could not be written: ${pullRequest?.error ?? 'no reason was kept'}`,
      'PR_FAILED',
      [`try: svc experiments show ${key}`],
    )
}
