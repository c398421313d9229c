import type { Input } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { inOrder } from './in-order.js'
import { statusSentence } from './said.js'

const OPERATIONS = {
  start: 'startExperiment',
  pause: 'pauseExperiment',
  resume: 'resumeExperiment',
  end: 'endExperiment',
  ship: 'shipExperiment',
} as const
type Action = keyof typeof OPERATIONS

/** Moves experiments on, one after the other. */
export async function move<A extends Action>(
  context: Context,
  action: A,
  ids: readonly string[],
  body: NonNullable<Input<(typeof OPERATIONS)[A]>['body']>,
  options: Common,
): Promise<void> {
  const api = await context.api()
  const look = context.look()
  await inOrder(
    context,
    ids,
    options,
    (id) => api.call(OPERATIONS[action as Action], { path: { id }, body: body as Record<string, never> }),
    (experiment) => statusSentence(look, experiment),
  )
}
