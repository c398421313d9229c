import { type Command, Option } from 'commander'
import { STATUSES } from '../../domain/lifecycle.js'
import type { CommonOptions, Context } from '../context.js'
import { parseCount } from '../option-parsers.js'
import { addJsonAndExamples } from './json-and-examples.js'
import { addListFilters } from './options/list-filters.js'
import { parseStatuses } from './options/statuses.js'

const IDS = 'keys or ids; applied in this order, up to the first refusal'

export function define(command: Command, context: Context): void {
  defineReading(command, context)
  defineWriting(command, context)
  defineLifecycle(command, context)
}

function defineReading(command: Command, context: Context): void {
  const list = addJsonAndExamples(command.command('list').description('list experiments, newest first'), [
    'svc experiments list --status running,paused',
    'svc experiments list --search checkout --sort-by estimatedLift --limit 10',
    'svc experiments list --created-after 30d --has-pr true --json',
  ])
  addListFilters(
    list.option('--status <list>', `of ${STATUSES.join(', ')}; several separated by commas`),
    context,
  )
    .option('--origin <list>', 'generated, api')
    .option('--rejected-stage <stage>', 'pr or outcome')
    .addOption(new Option('--has-pr <boolean>', 'with a pull request, or without').choices(['true', 'false']))
    .action(async (options: CommonOptions) => {
      const { listExperiments } = await import('../experiments/list.js')
      await listExperiments(context, options)
    })
  addJsonAndExamples(
    command.command('show').description('show an experiment: variants, results, plan and pull request'),
    ['svc experiments show shorter-checkout'],
  )
    .argument('<id>', 'key or id')
    .action(async (id: string, options: CommonOptions) => {
      const { showExperiment } = await import('../experiments/show.js')
      await showExperiment(context, id, options)
    })
  addJsonAndExamples(
    command.command('results').description('show results, whole or by a property of the first exposure'),
    [
      'svc experiments results shorter-checkout',
      'svc experiments results shorter-checkout --breakdown device --limit 5',
    ],
  )
    .argument('<id>', 'key or id')
    .option('--breakdown <property>', 'results for each value of it, largest first')
    .option('--limit <n>', 'how many values (default: 10)', parseCount(1, 50))
    .action(async (id: string, options: CommonOptions) => {
      const { showResults } = await import('../experiments/show-results.js')
      await showResults(context, id, options)
    })
  addJsonAndExamples(command.command('status').description('show the status, or wait for one'), [
    'svc experiments status shorter-checkout',
    'svc experiments status shorter-checkout --wait --until running --timeout 60',
  ])
    .argument('<id>', 'key or id')
    .option('--wait', 'wait until it is settled, or in the status of --until')
    .option(
      '--until <status>',
      'wait for this status, or one of several separated by commas; another settled one exits 1',
      parseStatuses,
    )
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 31_536_000))
    .action(async (id: string, options: CommonOptions) => {
      const { showStatus } = await import('../experiments/status.js')
      await showStatus(context, id, options)
    })
}

function defineWriting(command: Command, context: Context): void {
  addJsonAndExamples(
    command.command('create').description('declare an experiment from a file in YAML or JSON'),
    [
      'svc experiments create experiment.yaml',
      'svc experiments create --acknowledge-overlap --wait - < experiment.json',
    ],
  )
    .argument('<file>', 'the body of POST /experiments; - for standard input')
    .option('--acknowledge-overlap', 'share a surface with an experiment in flight')
    .option('--wait', 'wait until its pull request is written; exit 1 where that failed')
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 86_400))
    .action(async (file: string, options: CommonOptions) => {
      const { createExperiment } = await import('../experiments/create.js')
      await createExperiment(context, file, options)
    })
  addJsonAndExamples(
    command.command('update').description('change fields of an experiment, from a file in YAML or JSON'),
    ['svc experiments update shorter-checkout changes.yaml'],
  )
    .argument('<id>', 'key or id')
    .argument('<file>', 'the body of PATCH /experiments/{id}; - for standard input')
    .action(async (id: string, file: string, options: CommonOptions) => {
      const { updateExperiment } = await import('../experiments/update.js')
      await updateExperiment(context, id, file, options)
    })
  addJsonAndExamples(
    command.command('generate-pr').description('have the pull request of an approved experiment written'),
    ['svc experiments generate-pr shorter-checkout --wait'],
  )
    .argument('<id>', 'key or id')
    .option('--wait', 'wait until it is written; exit 1 where that failed')
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 86_400))
    .action(async (id: string, options: CommonOptions) => {
      const { generatePullRequest } = await import('../experiments/generate-pr.js')
      await generatePullRequest(context, id, options)
    })
}

function defineLifecycle(command: Command, context: Context): void {
  const simple = {
    start: 'start serving and measuring',
    pause: 'stop serving, not measuring',
    resume: 'serve again',
  } as const
  for (const [name, description] of Object.entries(simple) as [keyof typeof simple, string][])
    addJsonAndExamples(
      command.command(name).description(description),
      [`svc experiments ${name} shorter-checkout`, `svc experiments ${name} shorter-checkout free-shipping`],
      'print the answers as they came, a line each',
    )
      .argument('<ids...>', IDS)
      .action(async (ids: readonly string[], options: CommonOptions) => {
        const { transition: move } = await import('../experiments/lifecycle.js')
        await move(context, name, ids, {}, options)
      })
  addJsonAndExamples(
    command.command('end').description('end measuring; with --conclude for good, without a decision'),
    ['svc experiments end shorter-checkout', 'svc experiments end shorter-checkout --conclude'],
    'print the answers as they came, a line each',
  )
    .argument('<ids...>', IDS)
    .option('--conclude', 'write it up and leave it undecided for good')
    .action(
      async (ids: readonly string[], { json, conclude }: CommonOptions & { readonly conclude?: true }) => {
        const { transition: move } = await import('../experiments/lifecycle.js')
        await move(context, 'end', ids, conclude ? { conclude } : {}, { json })
      },
    )
  addJsonAndExamples(
    command.command('ship').description('ship a variant at once, without waiting for late conversions'),
    ['svc experiments ship shorter-checkout --variant one-page'],
    'print the answers as they came, a line each',
  )
    .argument('<ids...>', IDS)
    .option('--variant <key>', 'of two variants the one that is not the control where left out')
    .action(
      async (ids: readonly string[], { json, variant }: CommonOptions & { readonly variant?: string }) => {
        const { transition: move } = await import('../experiments/lifecycle.js')
        await move(context, 'ship', ids, variant === undefined ? {} : { variant }, { json })
      },
    )
  addJsonAndExamples(
    command.command('decide').description('decide an ended experiment: ship a variant, or reject'),
    [
      'svc experiments decide shorter-checkout --ship one-page --reason "More orders"',
      'svc experiments decide shorter-checkout --reject --force --wait',
    ],
    'print the answers as they came, a line each',
  )
    .argument('<ids...>', IDS)
    .addOption(new Option('--ship <variant>', 'the key of the variant that won').conflicts('reject'))
    .option('--reject', 'none won')
    .option('--reason <text>', 'why')
    .option('--force', 'at once, without waiting for late conversions')
    .option('--wait', 'wait until the decision has taken effect')
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 31_536_000))
    .action(async (ids: readonly string[], options: CommonOptions) => {
      const { decide } = await import('../experiments/decide.js')
      await decide(context, ids, options)
    })
}
