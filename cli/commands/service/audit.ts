import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { parseCount } from '../../option-parsers.js'
import { addJsonAndExamples } from '../json-and-examples.js'
import { parseTime } from '../options/times.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc audit --limit 10', 'svc audit --action experiment.start --from 7d'])
    .option('--key <id>', 'only what was done with this key')
    .option('--action <name>', 'only this action, such as funnel.create')
    .option('--from <time>', 'only then or later: a time, or how long ago (2d, 12h, 90m)', parseTime(context))
    .option('--to <time>', 'only before', parseTime(context))
    .option('--limit <n>', 'how many (default: 25)', parseCount(1, 100))
    .option('--offset <n>', 'how many to leave out first', parseCount(0, Number.MAX_SAFE_INTEGER))
    .action(async (options: CommonOptions) => {
      const { listAudit } = await import('../../service/audit.js')
      await listAudit(context, options)
    })
}
