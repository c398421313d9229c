import { type Command, Option } from 'commander'
import type { Context } from '../context.js'
import { parseCount } from '../option-parsers.js'
import { collect, lazy, parseTime, subcommand } from './define.js'

const ORDERS = ['ordered', 'strict', 'any']
const INTERVALS = ['hour', 'day', 'week', 'month']

export function defineFunnels(command: Command, context: Context): void {
  subcommand(command, 'list', 'list funnels and their steps', ['svc funnels list']).action(
    lazy(context, async () => (await import('./read.js')).listFunnelsCommand),
  )
  subcommand(
    command,
    'pull',
    'write the funnels of the workspace into a file, keeping its comments and order',
    ['svc funnels pull funnels.yaml', 'svc funnels pull > funnels.yaml'],
    'print the answer unchanged, and write no file',
  )
    .argument('[file]', 'YAML, or JSON if its name ends with .json; standard output if omitted', '-')
    .action(lazy(context, async () => (await import('../funnels/pull.js')).pullFunnels))
  subcommand(
    command,
    'apply',
    'make the funnels of the workspace match a file, by name',
    [
      'svc funnels apply funnels.yaml --dry-run',
      'svc funnels apply funnels.yaml',
      'svc funnels apply funnels.yaml --prune --yes --json',
    ],
    'print the plan: { dryRun, applied, changes: [{ action, name, id, diff }] }',
  )
    .argument(
      '<file>',
      'YAML or JSON: { funnels: [{ name, description, windowSeconds, steps, query }] }; - for standard input',
    )
    .option('--dry-run', 'show the plan and change nothing')
    .option('--prune', 'delete the funnels that are not in the file')
    .option('--yes', 'delete without asking')
    .action(lazy(context, async () => (await import('../funnels/apply.js')).applyFunnels))
  subcommand(command, 'query', 'count how many persons convert from step to step', [
    'svc funnels query Checkout --from 7d',
    'svc funnels query Checkout --breakdown plan --breakdown-limit 5 --where "total >= 10"',
    'svc funnels query Checkout --interval day --from 30d --json',
  ])
    .argument('<name>', 'name or id of a funnel')
    .option(
      '--from <time>',
      'first step at or after a time, or an age such as 7d (default: that of the funnel, or 30d)',
      parseTime(context),
    )
    .option('--to <time>', 'first step before a time or an age (default: now)', parseTime(context))
    .option('--window <seconds>', 'conversion window (default: that of the funnel)', parseCount(1, 7_776_000))
    .addOption(
      new Option(
        '--order <order>',
        'ordered (default, unless the funnel says otherwise), strict, any',
      ).choices(ORDERS),
    )
    .option('--breakdown <property>', 'breakdown by a property: a funnel for each value, largest first')
    .option('--breakdown-limit <n>', 'number of values (default: 10)', parseCount(1, 50))
    .option('--experiment <key>', 'breakdown by variant of an experiment')
    .addOption(new Option('--interval <length>', 'trend over buckets of this length').choices(INTERVALS))
    .option(
      '--where <filter>',
      'filter on events; repeatable: "plan = pro", "total >= 10", "coupon exists"; also !=, >, <, <=, contains, in, not_exists',
      collect,
    )
    .option(
      '--exclude <event>',
      'exclusion: an event between two steps ends the attempt; repeatable: EVENT:FROM:TO, from 0',
      collect,
    )
    .action(lazy(context, async () => (await import('../funnels/query.js')).printFunnel))
  subcommand(
    command,
    'persons',
    'write the persons who reached a step to standard output',
    [
      'svc funnels persons Checkout --step 2 --from 7d',
      'svc funnels persons Checkout --step 1 --lost --format csv > lost.csv',
    ],
    'print the answer as NDJSON: { personId, steps }',
  )
    .argument('<name>', 'name or id of a funnel; its saved query applies, without a breakdown')
    .requiredOption('--step <n>', 'number of the step, from 1', parseCount(1, 20))
    .option('--lost', 'only those who did not reach the next step')
    .option('--from <time>', 'first step at or after a time, or an age such as 7d', parseTime(context))
    .option('--to <time>', 'first step before a time or an age (default: now)', parseTime(context))
    .addOption(new Option('--format <format>', 'ndjson (default) or csv').choices(['ndjson', 'csv']))
    .action(lazy(context, async () => (await import('../funnels/persons.js')).writeFunnelPersons))
}
