import type { ApiResponse, Input } from '../client/api.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { formatTime } from '../render/terminal-style.js'
import { describeStatus, type ExperimentStatus } from './describe-status.js'
import { forEachId } from './for-each-id.js'
import { waitForStatus } from './wait-for-status.js'

interface Options extends CommonOptions {
  readonly ship?: string
  readonly reject?: boolean
  readonly reason?: string
  readonly force?: boolean
  readonly wait?: boolean
  readonly timeout?: number
}

/** Decides ended experiments. Without force a decision waits for late conversions, which `--wait` waits for too. */
export async function decide(context: Context, ids: readonly string[], options: Options): Promise<void> {
  const { ship, reject, reason, force, wait, timeout } = options
  if (ship === undefined && !reject)
    throw new CommandError(EXIT.usage, 'say what is decided: --ship VARIANT or --reject')
  const more = {
    ...(reason === undefined ? {} : { reason }),
    ...(force ? { force } : {}),
  }
  const body: Input<'decideExperiment'>['body'] =
    ship === undefined ? { outcome: 'reject', ...more } : { outcome: 'ship', variant: ship, ...more }
  const api = await context.api()
  const style = context.style()
  await forEachId(
    context,
    ids,
    options,
    async (id): Promise<ApiResponse<ExperimentStatus>> => {
      const answer = await api.call('decideExperiment', { path: { id }, body })
      if (!wait) {
        const { status, decision } = answer.body
        if (status === 'settling' && !options.json)
          context.terminal.err(
            `Late conversions are waited for: it takes effect at ${formatTime(style, decision?.settlesAt)}.\n`,
          )
        return answer
      }
      return waitForStatus(context, id, `decision on ${id}`, (status) => status !== 'settling', timeout)
    },
    (experiment) => describeStatus(style, experiment),
  )
}
