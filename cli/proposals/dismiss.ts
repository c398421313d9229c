import type { Input } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { describeStatus } from '../experiments/describe-status.js'
import { forEachId } from '../experiments/for-each-id.js'

type Reasons = Input<'dismissProposal'>['body']['reasons']

interface Options extends CommonOptions {
  readonly reason: string
  readonly note?: string
}

export async function dismiss(
  context: Context,
  ids: readonly string[],
  { json, reason, note }: Options,
): Promise<void> {
  const api = await context.api()
  const style = context.style()
  // The API knows the reasons and names them where one is wrong.
  const reasons = reason.split(',').map((word) => word.trim()) as unknown as Reasons
  const body = { reasons, ...(note === undefined ? {} : { note }) }
  await forEachId(
    context,
    ids,
    { json },
    (id) => api.call('dismissProposal', { path: { id }, body }),
    (experiment) => describeStatus(style, experiment),
  )
}
