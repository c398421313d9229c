import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { parseCount } from '../../option-parsers.js'
import { addJsonAndExamples } from '../json-and-examples.js'
import { addListFilters } from '../options/list-filters.js'

export function define(command: Command, context: Context): void {
  addListFilters(
    addJsonAndExamples(
      command.command('list').description('list the proposals that wait for a decision, newest first'),
      ['svc proposals list', 'svc proposals list --priority high --sort-by priority --json'],
    ),
    context,
  ).action(async (options: CommonOptions) => {
    const { listProposals } = await import('../../experiments/list.js')
    await listProposals(context, options)
  })
  addJsonAndExamples(
    command.command('show').description('show a proposal with its hypothesis and its plan, file by file'),
    ['svc proposals show shorter-checkout'],
  )
    .argument('<id>', 'key or id')
    .action(async (id: string, options: CommonOptions) => {
      const { showExperiment } = await import('../../experiments/show.js')
      await showExperiment(context, id, options)
    })
  addJsonAndExamples(
    command.command('approve').description('approve proposals: their pull requests are written'),
    [
      'svc proposals approve shorter-checkout --wait',
      'svc proposals approve shorter-checkout --acknowledge-overlap',
    ],
    'print the answers as they came, a line each; with --wait the last one',
  )
    .argument('<ids...>', 'keys or ids; applied in this order, up to the first refusal')
    .option('--acknowledge-overlap', 'share a surface with an experiment in flight')
    .option('--wait', 'wait until the pull request is written; exit 1 where that failed')
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 86_400))
    .action(async (ids: readonly string[], options: CommonOptions) => {
      const { approve } = await import('../../proposals/approve.js')
      await approve(context, ids, options)
    })
  addJsonAndExamples(
    command.command('dismiss').description('turn proposals down'),
    [
      'svc proposals dismiss shorter-checkout --reason low_impact,too_risky --note "Few visitors see this page"',
    ],
    'print the answers as they came, a line each',
  )
    .argument('<ids...>', 'keys or ids; applied in this order, up to the first refusal')
    .requiredOption(
      '--reason <list>',
      'of not_relevant, too_risky, low_impact, duplicate, wrong_surface, other; several separated by commas',
    )
    .option('--note <text>', 'kept for the team: later proposals and pull requests read it')
    .action(
      async (
        ids: readonly string[],
        options: CommonOptions & { readonly reason: string; readonly note?: string },
      ) => {
        const { dismiss } = await import('../../proposals/dismiss.js')
        await dismiss(context, ids, options)
      },
    )
  addJsonAndExamples(command.command('revise').description('have a proposal rewritten'), [
    `svc proposals revise shorter-checkout 'Say "Go on to payment"' --wait`,
  ])
    .argument('<id>', 'key or id')
    .argument('<text>', 'what to change, up to 4000 characters; - for standard input')
    .option('--wait', 'wait until it is rewritten; exit 1 where that failed')
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 86_400))
    .action(async (id: string, text: string, options: CommonOptions) => {
      const { revise } = await import('../../proposals/revise.js')
      await revise(context, id, text, options)
    })
}
