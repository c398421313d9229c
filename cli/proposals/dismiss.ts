import type { Input } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { inOrder } from '../experiments/in-order.js'
import { statusSentence } from '../experiments/said.js'

type Reasons = Input<'dismissProposal'>['body']['reasons']

interface Options extends Common {
  readonly reason: string
  readonly note?: string
}

export async function dismiss(
  context: Context,
  ids: readonly string[],
  { json, reason, note }: Options,
): Promise<void> {
  const api = await context.api()
  const look = context.look()
  // The API knows the reasons and names them where one is wrong.
  const reasons = reason.split(',').map((word) => word.trim()) as unknown as Reasons
  const body = { reasons, ...(note === undefined ? {} : { note }) }
  await inOrder(
    context,
    ids,
    { json },
    (id) => api.call('dismissProposal', { path: { id }, body }),
    (experiment) => statusSentence(look, experiment),
  )
}
