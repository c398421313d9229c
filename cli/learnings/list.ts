import type { Input } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { showPage } from '../render/list.js'
import { statusPaint, when } from '../render/look.js'

type Query = NonNullable<Input<'listLearnings'>['query']>

export async function listLearnings(context: Context, { json, ...query }: Common & Query): Promise<void> {
  const answer = await (await context.api()).call('listLearnings', { query })
  const look = context.look()
  await showPage(context, { json }, answer, 'learnings', [
    { title: 'id', text: ({ id }) => id },
    { title: 'title', text: ({ title }) => title, least: 12, drop: 0 },
    { title: 'decision', text: ({ decision }) => decision, drop: 1 },
    {
      title: 'review',
      text: ({ reviewStatus }) => reviewStatus,
      paint: ({ reviewStatus }) => statusPaint(reviewStatus),
      drop: 2,
    },
    { title: 'created', text: ({ createdAt }) => when(look, createdAt), drop: 3 },
  ])
}
