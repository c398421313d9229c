import type { Context } from '../context.js'
import { type PullRequestOptions, printPullRequest, waitForPullRequest } from './pull-request.js'

export async function generatePullRequest(
  context: Context,
  id: string,
  options: PullRequestOptions,
): Promise<void> {
  const answer = await (await context.api()).call('generatePullRequest', { path: { id } })
  printPullRequest(context, await waitForPullRequest(context, answer, options), options)
}
