import type { Input, Result } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { showPage } from '../render/list.js'
import { type Look, when } from '../render/look.js'
import type { Column } from '../render/table.js'

export type StoredEvent = Result<'listEvents'>['data'][number]
type Query = NonNullable<Input<'listEvents'>['query']>

export async function listEvents(context: Context, { json, ...query }: Common & Query): Promise<void> {
  const answer = await (await context.api()).call('listEvents', { query })
  await showPage(context, { json }, answer, 'events', eventColumns(context.look()))
}

function eventColumns(look: Look): readonly Column<StoredEvent>[] {
  return [
    { title: 'received', text: ({ receivedAt }) => when(look, receivedAt), drop: 1 },
    { title: 'event', text: ({ event }) => event, least: 12, paint: () => 'cyan' },
    { title: 'person', text: ({ personId }) => personId, least: 12 },
    { title: 'properties', text: ({ properties }) => JSON.stringify(properties), least: 12, drop: 2 },
  ]
}
