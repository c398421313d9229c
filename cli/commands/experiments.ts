import { type Command, Option } from 'commander'
import { STATUSES } from '../../domain/lifecycle.js'
import type { CommonOptions, Context } from '../context.js'
import { EXPERIMENT_TEMPLATE } from '../experiments/template.js'
import { parseCount } from '../option-parsers.js'
import {
  addListFilters,
  addLongWait,
  addWait,
  EACH_ANSWER,
  ID_OR_KEY,
  IDS,
  lazy,
  parseStatuses,
  subcommand,
} from './define.js'

export function defineExperiments(command: Command, context: Context): void {
  defineReading(command, context)
  defineWriting(command, context)
  defineLifecycle(command, context)
}

function defineReading(command: Command, context: Context): void {
  const list = subcommand(command, 'list', 'list experiments, newest first', [
    'svc experiments list --status running,paused',
    'svc experiments list --search checkout --sort-by estimatedLift --limit 10',
    'svc experiments list --created-after 30d --has-pr true --json',
  ])
  addListFilters(
    list.option('--status <list>', `${STATUSES.join(', ')}; several separated by commas`),
    context,
  )
    .option('--origin <list>', 'generated, api')
    .option('--rejected-stage <stage>', 'pr or outcome')
    .addOption(new Option('--has-pr <boolean>', 'with or without a pull request').choices(['true', 'false']))
    .action(lazy(context, async () => (await import('./read.js')).listExperimentsCommand))
  subcommand(command, 'show', 'show an experiment: variants, results, plan and pull request', [
    'svc experiments show shorter-checkout',
  ])
    .argument('<id>', ID_OR_KEY)
    .action(lazy(context, async () => (await import('../experiments/show.js')).showExperiment))
  subcommand(command, 'results', 'show results, whole or by a property of the first exposure', [
    'svc experiments results shorter-checkout',
    'svc experiments results shorter-checkout --breakdown device --limit 5',
    'svc experiments results shorter-checkout --format csv > results.csv',
  ])
    .argument('<id>', ID_OR_KEY)
    .option('--breakdown <property>', 'breakdown by a property: results for each value, largest first')
    .option('--limit <n>', 'number of values (default: 10)', parseCount(1, 50))
    .addOption(new Option('--format <format>', 'a row for each target and variant').choices(['csv']))
    .action(lazy(context, async () => (await import('../experiments/results.js')).showResults))
  addLongWait(
    subcommand(command, 'status', 'show the status, or wait for one', [
      'svc experiments status shorter-checkout',
      'svc experiments status shorter-checkout --wait --until running --timeout 60',
    ])
      .argument('<id>', ID_OR_KEY)
      .option(
        '--until <status>',
        'wait for this status, or one of several separated by commas; exit 1 on any other settled one',
        parseStatuses,
      ),
    'wait until it is settled, or in the status of --until',
  ).action(lazy(context, async () => (await import('../experiments/status.js')).showStatus))
}

function defineWriting(command: Command, context: Context): void {
  const untilWritten = 'wait until the pull request is written; exit 1 if that fails'
  addWait(
    subcommand(command, 'create', 'declare an experiment from a file in YAML or JSON', [
      'svc experiments create experiment.yaml',
      'svc experiments create --acknowledge-overlap --wait - < experiment.json',
    ])
      .argument('<file>', 'the body of POST /experiments; - for standard input')
      .option('--acknowledge-overlap', 'share a surface with an experiment in flight'),
    untilWritten,
  )
    .addHelpText(
      'after',
      `\nA whole file, which svc experiments template writes:\n\n${EXPERIMENT_TEMPLATE.replace(/^(?=.)/gm, '  ').trimEnd()}`,
    )
    .action(lazy(context, async () => (await import('../experiments/actions.js')).createFromFile))
  command
    .command('template')
    .description('print a file for svc experiments create, with every field explained')
    .addHelpText('after', '\nExamples:\n  svc experiments template > experiment.yaml')
    .action(() => context.terminal.out(EXPERIMENT_TEMPLATE))
  subcommand(command, 'update', 'change fields of an experiment, from a file in YAML or JSON', [
    'svc experiments update shorter-checkout changes.yaml',
  ])
    .argument('<id>', ID_OR_KEY)
    .argument('<file>', 'the body of PATCH /experiments/{id}; - for standard input')
    .action(lazy(context, async () => (await import('../experiments/actions.js')).updateFromFile))
  addWait(
    subcommand(command, 'generate-pr', 'have the pull request of an approved experiment written', [
      'svc experiments generate-pr shorter-checkout --wait',
    ]).argument('<id>', ID_OR_KEY),
    untilWritten,
  ).action(lazy(context, async () => (await import('../experiments/actions.js')).requestPullRequest))
}

function defineLifecycle(command: Command, context: Context): void {
  const simple = {
    start: 'start serving and measuring',
    pause: 'stop serving but go on measuring',
    resume: 'serve again',
  } as const
  const move = async () => (await import('../experiments/actions.js')).changeStatus
  for (const [name, description] of Object.entries(simple) as [keyof typeof simple, string][])
    subcommand(
      command,
      name,
      description,
      [`svc experiments ${name} shorter-checkout`, `svc experiments ${name} shorter-checkout free-shipping`],
      EACH_ANSWER,
    )
      .argument('<ids...>', IDS)
      .action(async (ids: readonly string[], options: CommonOptions) =>
        (await move())(context, name, ids, {}, options),
      )
  subcommand(
    command,
    'end',
    'end measuring; with --conclude for good, without a decision',
    ['svc experiments end shorter-checkout', 'svc experiments end shorter-checkout --conclude'],
    EACH_ANSWER,
  )
    .argument('<ids...>', IDS)
    .option('--conclude', 'write the learning and leave the experiment undecided for good')
    .action(async (ids: readonly string[], { json, conclude }: CommonOptions & { conclude?: true }) =>
      (await move())(context, 'end', ids, conclude ? { conclude } : {}, { json }),
    )
  subcommand(
    command,
    'ship',
    'ship a variant at once, without waiting for late conversions',
    ['svc experiments ship shorter-checkout --variant one-page'],
    EACH_ANSWER,
  )
    .argument('<ids...>', IDS)
    .option('--variant <key>', 'key of the variant (default: of two, the one that is not the control)')
    .action(async (ids: readonly string[], { json, variant }: CommonOptions & { variant?: string }) =>
      (await move())(context, 'ship', ids, variant === undefined ? {} : { variant }, { json }),
    )
  addLongWait(
    subcommand(
      command,
      'decide',
      'decide an ended experiment: ship a variant, or reject',
      [
        'svc experiments decide shorter-checkout --ship one-page --reason "More orders"',
        'svc experiments decide shorter-checkout --reject --force --wait',
      ],
      EACH_ANSWER,
    )
      .argument('<ids...>', IDS)
      .addOption(new Option('--ship <variant>', 'key of the variant that won').conflicts('reject'))
      .option('--reject', 'no variant won')
      .option('--reason <text>', 'why')
      .option('--force', 'at once, without waiting for late conversions'),
    'wait until the decision takes effect',
  ).action(lazy(context, async () => (await import('../experiments/actions.js')).decideExperiments))
}
