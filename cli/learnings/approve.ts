import type { Common, Context } from '../context.js'
import { inOrder } from '../experiments/in-order.js'
import { printable } from '../output.js'
import { paint, statusPaint } from '../render/look.js'

interface Options extends Common {
  readonly interpretation?: string
  readonly draft?: boolean
}

export async function approveLearnings(
  context: Context,
  ids: readonly string[],
  options: Options,
): Promise<void> {
  const api = await context.api()
  const look = context.look()
  const given = options.interpretation
  const interpretation = given === '-' ? (await context.input()).trim() : given
  const body = {
    reviewStatus: options.draft ? ('draft' as const) : ('approved' as const),
    ...(interpretation === undefined ? {} : { interpretation }),
  }
  await inOrder(
    context,
    ids,
    options,
    (id) => api.call('updateLearning', { path: { id }, body }),
    ({ title, reviewStatus }) =>
      `${printable(title)}: ${paint(look, statusPaint(reviewStatus), reviewStatus)}.`,
  )
}
