import type { CommonOptions, Context } from '../context.js'
import { forEachId } from '../experiments/for-each-id.js'
import { escapeControls } from '../output.js'
import { colorize, statusColor } from '../render/terminal-style.js'

interface Options extends CommonOptions {
  readonly interpretation?: string
  readonly draft?: boolean
}

export async function approveLearnings(
  context: Context,
  ids: readonly string[],
  options: Options,
): Promise<void> {
  const api = await context.api()
  const style = context.style()
  const given = options.interpretation
  const interpretation = given === '-' ? (await context.readStdin()).trim() : given
  const body = {
    reviewStatus: options.draft ? ('draft' as const) : ('approved' as const),
    ...(interpretation === undefined ? {} : { interpretation }),
  }
  await forEachId(
    context,
    ids,
    options,
    (id) => api.call('updateLearning', { path: { id }, body }),
    ({ title, reviewStatus }) =>
      `${escapeControls(title)}: ${colorize(style, statusColor(reviewStatus), reviewStatus)}.`,
  )
}
