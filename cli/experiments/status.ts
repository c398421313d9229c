import type { Status } from '../../domain/lifecycle.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { describeStatus } from './describe-status.js'
import { waitForStatus } from './wait-for-status.js'

interface Options extends CommonOptions {
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
  context.terminal.out(options.json ? `${text}\n` : `${describeStatus(context.style(), body)}\n`)
  if (!waits || wanted(body.status)) return
  if (until !== undefined || LOST.includes(body.status))
    throw new CommandError(
      EXIT.refused,
      `${body.key} is settled as ${body.status}${until === undefined ? '' : `, and will not be ${until.join(' or ')}`}`,
      'SETTLED',
      [`try: svc experiments show ${body.key}`],
    )
}
