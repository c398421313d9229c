import { type Command, Option } from 'commander'
import type { CommonOptions, Context } from '../context.js'
import { parseCount } from '../option-parsers.js'
import { addJsonAndExamples, collect } from './json-and-examples.js'
import { parseTime } from './options/times.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command.command('list').description('list funnels and their steps'), [
    'svc funnels list',
  ]).action(async (options: CommonOptions) => {
    const { listFunnels } = await import('../funnels/list.js')
    await listFunnels(context, options)
  })
  addJsonAndExamples(
    command
      .command('pull')
      .description('write the funnels of the workspace into a file, whose comments and order stay'),
    ['svc funnels pull funnels.yaml', 'svc funnels pull > funnels.yaml'],
    'print the answer as it came, and write no file',
  )
    .argument('[file]', 'YAML, or JSON where its name ends with .json; standard output where left out', '-')
    .action(async (file: string, options: CommonOptions) => {
      const { pullFunnels } = await import('../funnels/pull.js')
      await pullFunnels(context, file, options)
    })
  addJsonAndExamples(
    command
      .command('apply')
      .description('make the funnels of the workspace those of a file, matched by name'),
    [
      'svc funnels apply funnels.yaml --dry-run',
      'svc funnels apply funnels.yaml',
      'svc funnels apply funnels.yaml --prune --yes --json',
    ],
    'print the plan: { dryRun, applied, changes: [{ action, name, id, diff }] }',
  )
    .argument(
      '<file>',
      'YAML or JSON: { funnels: [{ name, description, windowSeconds, steps }] }; - for standard input',
    )
    .option('--dry-run', 'show the plan and change nothing')
    .option('--prune', 'delete the funnels that are not in the file')
    .option('--yes', 'delete without asking')
    .action(async (file: string, options: CommonOptions) => {
      const { applyFunnels } = await import('../funnels/apply.js')
      await applyFunnels(context, file, options)
    })
  addJsonAndExamples(command.command('query').description('count how persons convert from step to step'), [
    'svc funnels query Checkout --from 7d',
    'svc funnels query Checkout --breakdown plan --breakdown-limit 5 --where "total >= 10"',
    'svc funnels query Checkout --interval day --from 30d --json',
  ])
    .argument('<name>', 'name or id of a funnel')
    .option(
      '--from <time>',
      'first step then or later: a time, or how long ago (default: 30d)',
      parseTime(context),
    )
    .option('--to <time>', 'first step before (default: now)', parseTime(context))
    .option('--window <seconds>', "instead of the funnel's own", parseCount(1, 7_776_000))
    .addOption(
      new Option('--order <order>', 'ordered (default), strict, any').choices(['ordered', 'strict', 'any']),
    )
    .option('--breakdown <property>', 'a funnel for each of its values, largest first')
    .option('--breakdown-limit <n>', 'how many values (default: 10)', parseCount(1, 50))
    .option('--experiment <key>', 'a funnel for each of its variants')
    .addOption(
      new Option('--interval <length>', 'a trend over buckets of it').choices([
        'hour',
        'day',
        'week',
        'month',
      ]),
    )
    .option(
      '--where <filter>',
      'only events that satisfy it; repeatable: "plan = pro", "total >= 10", "coupon exists"; also !=, >, <, <=, contains, in, not_exists',
      collect,
    )
    .option(
      '--exclude <event>',
      'ends a run when it comes between two steps; repeatable: EVENT:FROM:TO, from 0',
      collect,
    )
    .action(async (name: string, options: CommonOptions) => {
      const { queryFunnel } = await import('../funnels/query.js')
      await queryFunnel(context, name, options)
    })
}
