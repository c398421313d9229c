import type { Context } from '../context.js'
import { afterPullRequest, type PullRequestOptions, sayPullRequest } from './pull-request.js'

export async function generatePullRequest(
  context: Context,
  id: string,
  options: PullRequestOptions,
): Promise<void> {
  const answer = await (await context.api()).call('generatePullRequest', { path: { id } })
  sayPullRequest(context, await afterPullRequest(context, answer, options), options)
}
