import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import { formatAge, formatDuration } from '../render/terminal-style.js'

export async function listFunnels(context: Context, options: CommonOptions): Promise<void> {
  const answer = await (await context.api()).call('listFunnels', {})
  const style = context.style()
  await printPage(context, options, answer, 'funnels', [
    { title: 'name', text: ({ name }) => name, minWidth: 10 },
    { title: 'steps', text: ({ steps }) => steps.map((step) => step.name).join(' → '), minWidth: 14 },
    { title: 'window', text: ({ windowSeconds }) => formatDuration(windowSeconds * 1_000), dropPriority: 1 },
    { title: 'updated', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 2 },
  ])
}
