import type { Command } from 'commander'
import type { CommonOptions, Context } from '../context.js'
import { parseCount, parseId } from '../option-parsers.js'
import { addJsonAndExamples } from './json-and-examples.js'
import { parseTime } from './options/times.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command.command('list').description('list learnings, newest first'), [
    'svc learnings list',
    'svc learnings list --decision ship --review-status draft --from 90d',
  ])
    .option('--search <text>', 'in title, interpretation and key of the experiment')
    .option('--decision <decision>', 'ship, reject or conclude')
    .option('--review-status <status>', 'draft or approved')
    .option('--from <time>', 'then or later: a time, or how long ago (2d, 12h, 90m)', parseTime(context))
    .option('--to <time>', 'before', parseTime(context))
    .option('--limit <n>', 'how many (default: 25)', parseCount(1, 100))
    .option('--offset <n>', 'how many to leave out first', parseCount(0, Number.MAX_SAFE_INTEGER))
    .action(async (options: CommonOptions) => {
      const { listLearnings } = await import('../learnings/list.js')
      await listLearnings(context, options)
    })
  addJsonAndExamples(command.command('show').description('show a learning with its frozen evidence'), [
    'svc learnings show 0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64',
  ])
    .argument('<id>', 'as svc learnings list shows it', parseId)
    .action(async (id: string, options: CommonOptions) => {
      const { showLearning } = await import('../learnings/show.js')
      await showLearning(context, id, options)
    })
  addJsonAndExamples(
    command.command('approve').description('approve learnings, or take approval back'),
    [
      'svc learnings approve 0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64',
      'svc learnings approve 0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64 --interpretation "Fewer fields, more orders"',
    ],
    'print the answers as they came, a line each',
  )
    .argument('<ids...>', 'in this order, up to the first refusal')
    .option('--interpretation <text>', 'what the team makes of it; - for standard input')
    .option('--draft', 'make it a draft again')
    .action(async (ids: readonly string[], options: CommonOptions) => {
      const { approveLearnings } = await import('../learnings/approve.js')
      await approveLearnings(context, ids, options)
    })
}
