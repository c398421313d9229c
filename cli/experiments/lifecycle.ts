import type { Input } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { describeStatus } from './describe-status.js'
import { forEachId } from './for-each-id.js'

const OPERATIONS = {
  start: 'startExperiment',
  pause: 'pauseExperiment',
  resume: 'resumeExperiment',
  end: 'endExperiment',
  ship: 'shipExperiment',
} as const
type Action = keyof typeof OPERATIONS

/** Moves experiments on, one after the other. */
export async function transition<A extends Action>(
  context: Context,
  action: A,
  ids: readonly string[],
  body: NonNullable<Input<(typeof OPERATIONS)[A]>['body']>,
  options: CommonOptions,
): Promise<void> {
  const api = await context.api()
  const style = context.style()
  await forEachId(
    context,
    ids,
    options,
    (id) => api.call(OPERATIONS[action as Action], { path: { id }, body: body as Record<string, never> }),
    (experiment) => describeStatus(style, experiment),
  )
}
