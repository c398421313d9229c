import type { Common, Context } from '../context.js'
import { statusPaint, whole } from '../render/look.js'
import { type Field, renderRecord } from '../render/table.js'

/** The identity; for people also where it came from, and how many experiments there are. */
export async function whoami(context: Context, options: Common): Promise<void> {
  const api = await context.api()
  if (options.json) {
    context.terminal.out(`${(await api.call('getMe', {})).text}\n`)
    return
  }
  const [{ body: me }, { body: counts }] = await Promise.all([
    api.call('getMe', {}),
    api.call('countExperiments', {}),
  ])
  const access = context.access()
  const fields: Field[] = [
    ['workspace', `${me.workspace.name}  ${me.workspace.id}`],
    ['person', `${me.person.name} <${me.person.email}>`],
    ['key', me.key === null ? 'none: the session of a person' : me.key.name],
    ...(me.key === null
      ? []
      : [['may write', me.key.scopes.length === 0 ? 'nothing' : me.key.scopes.join(', ')] as const]),
    ['address', `${access.apiUrl} (${access.urlFrom})`],
    ['key from', access.keyFrom],
    ['experiments', whole(counts.total)],
    ...Object.entries(counts.byStatus)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => [`  ${status}`, whole(count), statusPaint(status)] as const),
  ]
  context.terminal.out(renderRecord(context.look(), fields))
}
