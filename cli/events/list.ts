import type { Input, Result } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import type { Column } from '../render/table.js'
import { formatAge, type TerminalStyle } from '../render/terminal-style.js'

export type StoredEvent = Result<'listEvents'>['data'][number]
type Query = NonNullable<Input<'listEvents'>['query']>

export async function listEvents(context: Context, { json, ...query }: CommonOptions & Query): Promise<void> {
  const answer = await (await context.api()).call('listEvents', { query })
  await printPage(context, { json }, answer, 'events', eventColumns(context.style()))
}

function eventColumns(style: TerminalStyle): readonly Column<StoredEvent>[] {
  return [
    { title: 'received', text: ({ receivedAt }) => formatAge(style, receivedAt), dropPriority: 1 },
    { title: 'event', text: ({ event }) => event, minWidth: 12, color: () => 'cyan' },
    { title: 'person', text: ({ personId }) => personId, minWidth: 12 },
    {
      title: 'properties',
      text: ({ properties }) => JSON.stringify(properties),
      minWidth: 12,
      dropPriority: 2,
    },
  ]
}
