import type { CommonOptions, Context } from '../context.js'
import { renderTable } from '../render/table.js'
import { formatCount, statusColor } from '../render/terminal-style.js'

export async function showCounts(context: Context, options: CommonOptions): Promise<void> {
  const { text, body } = await (await context.api()).call('countExperiments', {})
  if (options.json) {
    context.terminal.out(`${text}\n`)
    return
  }
  const rows = [...Object.entries(body.byStatus), ['total', body.total] as const]
  context.terminal.out(
    renderTable(
      context.style(),
      [
        { title: 'status', text: ([status]) => status, color: ([status]) => statusColor(status) },
        { title: 'experiments', text: ([, count]) => formatCount(count), alignRight: true },
      ],
      rows,
    ),
  )
}
