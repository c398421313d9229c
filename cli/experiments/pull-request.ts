import type { Answer } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { type Stated, statusSentence } from './said.js'
import { waitForStatus } from './wait-for-status.js'

export interface PullRequestOptions extends Common {
  readonly wait?: boolean
  readonly timeout?: number
}

/** Waits, where asked to, until the pull request of an experiment is written; the answer is the last one there was. */
export async function afterPullRequest<Body extends Stated>(
  context: Context,
  answer: Answer<Body>,
  { wait, timeout }: PullRequestOptions,
): Promise<Answer<Stated>> {
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
export function sayPullRequest(
  context: Context,
  { text, body }: Answer<Stated>,
  options: PullRequestOptions,
): void {
  context.terminal.out(options.json ? `${text}\n` : `${statusSentence(context.look(), body)}\n`)
  requirePullRequest(body, options)
}

export function requirePullRequest({ key, status, pullRequest }: Stated, { wait }: PullRequestOptions): void {
  if (wait && status === 'pr_failed')
    throw new CommandFailure(
      EXIT.refused,
      `the pull request of ${key} could not be written: ${pullRequest?.error ?? 'no reason was kept'}`,
      'PR_FAILED',
      [`try: svc experiments show ${key}`],
    )
}
