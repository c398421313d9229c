import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import { formatAge, formatCount } from '../render/terminal-style.js'

export async function listEventNames(context: Context, options: CommonOptions): Promise<void> {
  const answer = await (await context.api()).call('listEventNames', {})
  const style = context.style()
  await printPage(context, options, answer, 'events', [
    { title: 'event', text: ({ eventName }) => eventName, minWidth: 12 },
    { title: 'count', text: ({ count }) => formatCount(count), alignRight: true },
    { title: 'last', text: ({ lastSeenAt }) => formatAge(style, lastSeenAt), dropPriority: 1 },
    { title: 'first', text: ({ firstSeenAt }) => formatAge(style, firstSeenAt), dropPriority: 2 },
  ])
}
