import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { parseCount, parseId } from '../../option-parsers.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command.command('list', { isDefault: true }).description('list runs, newest first'), [
    'svc runs',
    'svc runs list --limit 5',
  ])
    .option('--limit <n>', 'how many (default: 25)', parseCount(1, 100))
    .option('--offset <n>', 'how many to leave out first', parseCount(0, Number.MAX_SAFE_INTEGER))
    .action(async (options: CommonOptions) => {
      const { listRuns } = await import('../../proposals/runs.js')
      await listRuns(context, options)
    })
  addJsonAndExamples(
    command.command('show').description('show a run: its step, what survived, and why it failed'),
    [
      'svc runs show 0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63',
      'svc runs show 0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63 --wait --timeout 300',
    ],
  )
    .argument('<id>', 'as svc runs list shows it', parseId)
    .option('--wait', 'wait until it is over; exit 1 where it failed')
    .option('--timeout <seconds>', 'how long at most (default: 600)', parseCount(1, 86_400))
    .action(async (id: string, options: CommonOptions) => {
      const { showRun } = await import('../../proposals/runs.js')
      await showRun(context, id, options)
    })
}
