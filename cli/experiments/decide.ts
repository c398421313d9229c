import type { Answer, Input } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { moment } from '../render/look.js'
import { inOrder } from './in-order.js'
import { type Stated, statusSentence } from './said.js'
import { waitForStatus } from './wait-for-status.js'

interface Options extends Common {
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
    throw new CommandFailure(EXIT.usage, 'say what is decided: --ship VARIANT or --reject')
  const more = {
    ...(reason === undefined ? {} : { reason }),
    ...(force ? { force } : {}),
  }
  const body: Input<'decideExperiment'>['body'] =
    ship === undefined ? { outcome: 'reject', ...more } : { outcome: 'ship', variant: ship, ...more }
  const api = await context.api()
  const look = context.look()
  await inOrder(
    context,
    ids,
    options,
    async (id): Promise<Answer<Stated>> => {
      const answer = await api.call('decideExperiment', { path: { id }, body })
      if (!wait) {
        const { status, decision } = answer.body
        if (status === 'settling' && !options.json)
          context.terminal.err(
            `Late conversions are waited for: it takes effect at ${moment(look, decision?.settlesAt)}.\n`,
          )
        return answer
      }
      return waitForStatus(context, id, `decision on ${id}`, (status) => status !== 'settling', timeout)
    },
    (experiment) => statusSentence(look, experiment),
  )
}
