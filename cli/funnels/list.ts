import type { Common, Context } from '../context.js'
import { showPage } from '../render/list.js'
import { duration, when } from '../render/look.js'

export async function listFunnels(context: Context, options: Common): Promise<void> {
  const answer = await (await context.api()).call('listFunnels', {})
  const look = context.look()
  await showPage(context, options, answer, 'funnels', [
    { title: 'name', text: ({ name }) => name, least: 10 },
    { title: 'steps', text: ({ steps }) => steps.map((step) => step.name).join(' → '), least: 14 },
    { title: 'window', text: ({ windowSeconds }) => duration(windowSeconds * 1_000), drop: 1 },
    { title: 'updated', text: ({ updatedAt }) => when(look, updatedAt), drop: 2 },
  ])
}
