import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { paint, statusPaint } from '../render/look.js'
import { waitUntil } from '../wait.js'

interface Options extends Common {
  readonly wait?: boolean
  readonly timeout?: number
}

const TIMEOUT_SECONDS = 600

export async function revise(context: Context, id: string, text: string, options: Options): Promise<void> {
  const api = await context.api()
  const instructions = text === '-' ? (await context.input()).trim() : text
  const accepted = await api.call('refineProposal', { path: { id }, body: { instructions } })
  if (!options.wait) {
    if (options.json) context.terminal.out(`${accepted.text}\n`)
    else {
      const { status } = accepted.body
      context.terminal.out(
        `The revision of ${id} is ${paint(context.look(), statusPaint(status), status)}.\n`,
      )
      context.terminal.err(`Look again with: svc proposals show ${id}\n`)
    }
    return
  }
  const answer = await waitUntil(context, {
    what: `revising ${id}`,
    timeoutSeconds: options.timeout ?? TIMEOUT_SECONDS,
    again: `svc proposals show ${id}`,
    ask: (signal) => api.call('getRefinement', { path: { id } }, signal),
    // Another revision can have come after this one only where this one is over.
    isOver: ({ body }) => body === null || body.id !== accepted.body.id || body.finishedAt !== null,
    state: ({ body }) => body?.status ?? 'gone',
  })
  const revision = answer.body
  if (options.json) context.terminal.out(`${answer.text}\n`)
  else if (revision?.status === 'done')
    context.terminal.out(`${id} is rewritten. Read it with: svc proposals show ${id}\n`)
  if (revision?.status === 'failed')
    throw new CommandFailure(
      EXIT.refused,
      `the revision failed: ${revision.error ?? 'no reason was kept'}`,
      'REVISION_FAILED',
    )
}
