import type { Common, Context } from '../context.js'
import { statusPaint, whole } from '../render/look.js'
import { renderTable } from '../render/table.js'

export async function showCounts(context: Context, options: Common): Promise<void> {
  const { text, body } = await (await context.api()).call('countExperiments', {})
  if (options.json) {
    context.terminal.out(`${text}\n`)
    return
  }
  const rows = [...Object.entries(body.byStatus), ['total', body.total] as const]
  context.terminal.out(
    renderTable(
      context.look(),
      [
        { title: 'status', text: ([status]) => status, paint: ([status]) => statusPaint(status) },
        { title: 'experiments', text: ([, count]) => whole(count), right: true },
      ],
      rows,
    ),
  )
}
