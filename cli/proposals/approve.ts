import type { Context } from '../context.js'
import { inOrder } from '../experiments/in-order.js'
import { afterPullRequest, type PullRequestOptions, requirePullRequest } from '../experiments/pull-request.js'
import { statusSentence } from '../experiments/said.js'

interface Options extends PullRequestOptions {
  readonly acknowledgeOverlap?: boolean
}

/** Approves proposals, one after the other; a pull request that failed stops the rest, where it was waited for. */
export async function approve(context: Context, ids: readonly string[], options: Options): Promise<void> {
  const api = await context.api()
  const body = options.acknowledgeOverlap ? { acknowledgeOverlap: true } : {}
  const look = context.look()
  await inOrder(
    context,
    ids,
    options,
    async (id) => {
      const answer = await api.call('approveProposal', { path: { id }, body })
      const last = await afterPullRequest(context, answer, options)
      requirePullRequest(last.body, options)
      return last
    },
    (experiment) => statusSentence(look, experiment),
  )
}
