import type { Common, Context } from '../context.js'
import { showPage } from '../render/list.js'
import { when } from '../render/look.js'

interface Options extends Common {
  readonly key?: string
  readonly action?: string
  readonly from?: string
  readonly to?: string
  readonly limit?: number
  readonly offset?: number
}

export async function listAudit(context: Context, { json, key, ...filters }: Options): Promise<void> {
  const query = { ...filters, ...(key === undefined ? {} : { actorApiKeyId: key }) }
  const answer = await (await context.api()).call('listAuditEntries', { query })
  const look = context.look()
  await showPage(context, { json }, answer, 'entries', [
    { title: 'at', text: (entry) => when(look, entry.at) },
    { title: 'action', text: (entry) => entry.action },
    {
      title: 'by',
      text: (entry) =>
        entry.actorApiKeyName === null
          ? entry.actorPersonName
          : `${entry.actorPersonName} (${entry.actorApiKeyName})`,
      least: 8,
      drop: 1,
    },
    { title: 'what', text: (entry) => entry.summary, least: 36 },
    { title: 'request', text: (entry) => entry.requestId, drop: 2 },
  ])
}
