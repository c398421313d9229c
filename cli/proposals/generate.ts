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

/** What to do after a batch: read what there is, let svc write where it may not, or connect a model for what rules cannot see. */
export function nextOf({ id, survived, dropped }: Pick<Run, 'id' | 'survived' | 'dropped'>): string {
  const countOf = (wanted: string): number => dropped.find(({ reason }) => reason === wanted)?.count ?? 0
  const closed = countOf('path_not_allowed')
  const silent = countOf('page_without_idea')
  const steps = [
    survived > 0 && `Read them with: svc proposals list --run ${id}`,
    closed > 0 &&
      `${closed} ${closed === 1 ? 'idea was' : 'ideas were'} left out whose files svc may not write to. Connect the repository again: pages beside a folder src with --helper, a path in the folder that the site serves; guarded paths with --allow`,
    silent > 0 &&
      `The rules know twelve things, and found none of them on ${silent} ${silent === 1 ? 'page' : 'pages'}. Connect a language model for the rest: set SVC_LLM_URL and SVC_LLM_MODEL`,
  ].filter((step) => step !== false)
  const nothing =
    'Nothing in the code is worth a test by these rules. To declare one of your own: svc experiments create FILE'
  return `${(steps.length > 0 ? steps : [nothing]).join('\n')}\n`
}
