import type { Context } from '../context.js'
import { describeStatus } from '../experiments/describe-status.js'
import { forEachId } from '../experiments/for-each-id.js'
import {
  assertPullRequestOpened,
  type PullRequestOptions,
  waitForPullRequest,
} from '../experiments/pull-request.js'

interface Options extends PullRequestOptions {
  readonly acknowledgeOverlap?: boolean
}

/** Approves proposals, one after the other; a pull request that failed stops the rest, where it was waited for. */
export async function approve(context: Context, ids: readonly string[], options: Options): Promise<void> {
  const api = await context.api()
  const body = options.acknowledgeOverlap ? { acknowledgeOverlap: true } : {}
  const style = context.style()
  await forEachId(
    context,
    ids,
    options,
    async (id) => {
      const answer = await api.call('approveProposal', { path: { id }, body })
      const last = await waitForPullRequest(context, answer, options)
      assertPullRequestOpened(last.body, options)
      return last
    },
    (experiment) => describeStatus(style, experiment),
  )
}
