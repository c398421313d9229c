import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { colorize, statusColor } from '../render/terminal-style.js'
import { waitUntil } from '../wait.js'

interface Options extends CommonOptions {
  readonly wait?: boolean
  readonly timeout?: number
}

const TIMEOUT_SECONDS = 600

export async function revise(context: Context, id: string, text: string, options: Options): Promise<void> {
  const api = await context.api()
  const instructions = text === '-' ? (await context.readStdin()).trim() : text
  const accepted = await api.call('refineProposal', { path: { id }, body: { instructions } })
  if (!options.wait) {
    if (options.json) context.terminal.out(`${accepted.text}\n`)
    else {
      const { status } = accepted.body
      context.terminal.out(
        `The revision of ${id} is ${colorize(context.style(), statusColor(status), status)}.\n`,
      )
      context.terminal.err(`Look again with: svc proposals show ${id}\n`)
    }
    return
  }
  const answer = await waitUntil(context, {
    what: `revising ${id}`,
    timeoutSeconds: options.timeout ?? TIMEOUT_SECONDS,
    retryCommand: `svc proposals show ${id}`,
    poll: (signal) => api.call('getRefinement', { path: { id } }, signal),
    // Another revision can have come after this one only where this one is over.
    isDone: ({ body }) => body === null || body.id !== accepted.body.id || body.finishedAt !== null,
    describe: ({ body }) => body?.status ?? 'gone',
  })
  const revision = answer.body
  if (options.json) context.terminal.out(`${answer.text}\n`)
  else if (revision?.status === 'done')
    context.terminal.out(`${id} is rewritten. Read it with: svc proposals show ${id}\n`)
  if (revision?.status === 'failed')
    throw new CommandError(
      EXIT.refused,
      `the revision failed: ${revision.error ?? 'no reason was kept'}`,
      'REVISION_FAILED',
    )
}
