import type { Common, Context } from '../context.js'
import { showPage } from '../render/list.js'
import { when, whole } from '../render/look.js'

export async function listEventNames(context: Context, options: Common): Promise<void> {
  const answer = await (await context.api()).call('listEventNames', {})
  const look = context.look()
  await showPage(context, options, answer, 'events', [
    { title: 'event', text: ({ eventName }) => eventName, least: 12 },
    { title: 'count', text: ({ count }) => whole(count), right: true },
    { title: 'last', text: ({ lastSeenAt }) => when(look, lastSeenAt), drop: 1 },
    { title: 'first', text: ({ firstSeenAt }) => when(look, firstSeenAt), drop: 2 },
  ])
}
