import type { CommonOptions, Context } from '../context.js'
import { type Field, renderRecord } from '../render/table.js'
import { formatCount, statusColor } from '../render/terminal-style.js'

/** The identity; for people also where it came from, and how many experiments there are. */
export async function whoami(context: Context, options: CommonOptions): Promise<void> {
  const api = await context.api()
  if (options.json) {
    context.terminal.out(`${(await api.call('getMe', {})).text}\n`)
    return
  }
  const [{ body: me }, { body: counts }] = await Promise.all([
    api.call('getMe', {}),
    api.call('countExperiments', {}),
  ])
  const access = context.connection()
  const fields: Field[] = [
    ['workspace', `${me.workspace.name}  ${me.workspace.id}`],
    ['person', `${me.person.name} <${me.person.email}>`],
    ['key', me.key === null ? 'none: the session of a person' : me.key.name],
    ...(me.key === null
      ? []
      : [['may write', me.key.scopes.length === 0 ? 'nothing' : me.key.scopes.join(', ')] as const]),
    ['address', `${access.apiUrl} (${access.urlSource})`],
    ['key from', access.keySource],
    ['experiments', formatCount(counts.total)],
    ...Object.entries(counts.byStatus)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => [`  ${status}`, formatCount(count), statusColor(status)] as const),
  ]
  context.terminal.out(renderRecord(context.style(), fields))
}
