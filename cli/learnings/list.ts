import type { Input } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import { formatAge, statusColor } from '../render/terminal-style.js'

type Query = NonNullable<Input<'listLearnings'>['query']>

export async function listLearnings(
  context: Context,
  { json, ...query }: CommonOptions & Query,
): Promise<void> {
  const answer = await (await context.api()).call('listLearnings', { query })
  const style = context.style()
  await printPage(context, { json }, answer, 'learnings', [
    { title: 'id', text: ({ id }) => id },
    { title: 'title', text: ({ title }) => title, minWidth: 12, dropPriority: 0 },
    { title: 'decision', text: ({ decision }) => decision, dropPriority: 1 },
    {
      title: 'review',
      text: ({ reviewStatus }) => reviewStatus,
      color: ({ reviewStatus }) => statusColor(reviewStatus),
      dropPriority: 2,
    },
    { title: 'created', text: ({ createdAt }) => formatAge(style, createdAt), dropPriority: 3 },
  ])
}
