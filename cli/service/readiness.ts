import type { CommonOptions, Context } from '../context.js'
import { colorize } from '../render/terminal-style.js'
import { renderChecks } from './checks.js'

/** What is connected and what is missing. Exits 0 either way: the answer is there. */
export async function showReadiness(context: Context, options: CommonOptions): Promise<void> {
  const { text, body } = await (await context.api()).call('getReadiness', {})
  if (options.json) {
    context.terminal.out(`${text}\n`)
    return
  }
  const style = context.style()
  const can = (yes: boolean): string => colorize(style, yes ? 'green' : 'red', yes ? 'can' : 'cannot')
  context.terminal.out(renderChecks(style, body.checks))
  context.terminal.out(
    `\nThe workspace ${can(body.canGenerate)} generate proposals,\nand it ${can(body.canRun)} run experiments.\n`,
  )
  if (body.ingestUrl !== null) context.terminal.out(`Events go to ${body.ingestUrl}.\n`)
}
