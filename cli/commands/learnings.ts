import type { Command } from 'commander'
import type { Context } from '../context.js'
import { parseId } from '../option-parsers.js'
import { addPaging, EACH_ANSWER, lazy, parseTime, subcommand } from './define.js'

const ID = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64'

export function defineLearnings(command: Command, context: Context): void {
  addPaging(
    subcommand(command, 'list', 'list learnings, newest first', [
      'svc learnings list',
      'svc learnings list --decision ship --review-status draft --from 90d',
    ])
      .option('--search <text>', 'text in title, interpretation or key of the experiment')
      .option('--decision <decision>', 'ship, reject or conclude')
      .option('--review-status <status>', 'draft or approved')
      .option('--from <time>', 'at or after a time, or an age such as 2d, 12h, 90m', parseTime(context))
      .option('--to <time>', 'before a time or an age', parseTime(context)),
    25,
    100,
  ).action(lazy(context, async () => (await import('./read.js')).listLearningsCommand))
  subcommand(command, 'show', 'show a learning with its frozen evidence', [`svc learnings show ${ID}`])
    .argument('<id>', 'id, as svc learnings list prints it', parseId)
    .action(lazy(context, async () => (await import('../experiments/learnings.js')).showLearning))
  subcommand(
    command,
    'approve',
    'approve learnings, or withdraw the approval',
    [
      `svc learnings approve ${ID}`,
      `svc learnings approve ${ID} --interpretation "Fewer fields, more orders"`,
    ],
    EACH_ANSWER,
  )
    .argument('<ids...>', 'ids, handled in this order up to the first error')
    .option('--interpretation <text>', 'what the team concludes; - for standard input')
    .option('--draft', 'make it a draft again')
    .action(lazy(context, async () => (await import('../experiments/learnings.js')).approveLearnings))
}
