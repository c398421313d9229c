import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import { formatAge } from '../render/terminal-style.js'

interface Options extends CommonOptions {
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
  const style = context.style()
  await printPage(context, { json }, answer, 'entries', [
    { title: 'at', text: (entry) => formatAge(style, entry.at) },
    { title: 'action', text: (entry) => entry.action },
    {
      title: 'by',
      text: (entry) =>
        entry.actorApiKeyName === null
          ? entry.actorPersonName
          : `${entry.actorPersonName} (${entry.actorApiKeyName})`,
      minWidth: 8,
      dropPriority: 1,
    },
    { title: 'what', text: (entry) => entry.summary, minWidth: 36 },
    { title: 'request', text: (entry) => entry.requestId, dropPriority: 2 },
  ])
}
