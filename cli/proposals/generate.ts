import type { CommonOptions, Context } from '../context.js'
import { colorize, statusColor } from '../render/terminal-style.js'
import { printRun, type Run, requireSuccess, waitForRun } from './runs.js'

interface Options extends CommonOptions {
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
    if (!json) context.terminal.err(nextOf(run.body))
  } else if (json) context.terminal.out(`${accepted.text}\n`)
  else {
    context.terminal.out(`Run ${runId} is ${colorize(context.style(), statusColor(status), status)}.\n`)
    context.terminal.err(`Look again with: svc runs show ${runId} --wait\n`)
  }
}

/** What to do after a batch: read what there is, let svc write where it may not, or ask for what was too small to be said unasked. */
export function nextOf({ id, survived, dropped }: Pick<Run, 'id' | 'survived' | 'dropped'>): string {
  const countOf = (wanted: string): number => dropped.find(({ reason }) => reason === wanted)?.count ?? 0
  const closed = countOf('path_not_allowed')
  const small = countOf('little_effect')
  const steps = [
    survived > 0 && `Read them with: svc proposals list --run ${id}`,
    closed > 0 &&
      `${closed} ${closed === 1 ? 'idea was' : 'ideas were'} left out whose files svc may not write to. Connect the repository again: pages beside a folder src with --helper, a path in the folder that the site serves; guarded paths with --allow`,
    small > 0 &&
      `${small} smaller ${small === 1 ? 'idea was' : 'ideas were'} left out, which most teams would rather do than test. To see such too: svc generate --focus pages`,
  ].filter((step) => step !== false)
  const nothing =
    'Nothing in the code is worth a test by these rules. To declare one of your own: svc experiments create FILE'
  return `${(steps.length > 0 ? steps : [nothing]).join('\n')}\n`
}
