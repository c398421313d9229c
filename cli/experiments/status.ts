import type { Status } from '../../domain/lifecycle.js'
import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { statusSentence } from './said.js'
import { waitForStatus } from './wait-for-status.js'

interface Options extends Common {
  readonly wait?: boolean
  readonly until?: readonly Status[]
  readonly timeout?: number
}

/** Settled, and not what a pipeline hopes for. */
const LOST: readonly Status[] = ['pr_failed', 'rejected']

/** The status, at once or when it is the wanted one. A settled status that was not wanted ends with 1. */
export async function showStatus(context: Context, id: string, options: Options): Promise<void> {
  const { until, timeout } = options
  const waits = options.wait === true || until !== undefined
  const wanted = (status: Status): boolean => until?.includes(status) ?? false
  const answer = waits
    ? await waitForStatus(context, id, `${id} until ${until?.join(' or ') ?? 'settled'}`, wanted, timeout)
    : await (await context.api()).call('getExperimentStatus', { path: { id } })
  const { text, body } = answer
  context.terminal.out(options.json ? `${text}\n` : `${statusSentence(context.look(), body)}\n`)
  if (!waits || wanted(body.status)) return
  if (until !== undefined || LOST.includes(body.status))
    throw new CommandFailure(
      EXIT.refused,
      `${body.key} is settled as ${body.status}${until === undefined ? '' : `, and will not be ${until.join(' or ')}`}`,
      'SETTLED',
      [`try: svc experiments show ${body.key}`],
    )
}
