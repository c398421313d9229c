import type { Common, Context } from '../context.js'
import { paint, statusPaint } from '../render/look.js'
import { printRun, requireSuccess, waitForRun } from './runs.js'

interface Options extends Common {
  readonly count?: number
  readonly focus?: string
  readonly replace?: boolean
  readonly wait?: boolean
  readonly timeout?: number
}

export async function generate(context: Context, options: Options): Promise<void> {
  const { json, wait, timeout, ...body } = options
  const accepted = await (await context.api()).call('generateProposals', { body })
  const { runId, status } = accepted.body
  if (wait) {
    const run = await waitForRun(context, runId, timeout)
    printRun(context, options, run)
    requireSuccess(run.body)
    if (!json) context.terminal.err(`Read them with: svc proposals list --run ${runId}\n`)
  } else if (json) context.terminal.out(`${accepted.text}\n`)
  else {
    context.terminal.out(`Run ${runId} is ${paint(context.look(), statusPaint(status), status)}.\n`)
    context.terminal.err(`Look again with: svc runs show ${runId} --wait\n`)
  }
}
