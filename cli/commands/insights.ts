import { type Command, Option } from 'commander'
import { SAVED_RANGES, TREND_INTERVALS } from '../../domain/funnel.js'
import { MAX_RETENTION_PERIODS, RETENTION_INTERVALS } from '../../domain/retention.js'
import type { Context } from '../context.js'
import { parseCount } from '../option-parsers.js'
import { addPaging, collect, lazy, parseTime, subcommand } from './define.js'

const WHERE =
  'repeatable: "plan = pro", "total >= 10", "coupon exists"; also !=, >, <, <=, contains, in, not_exists'

export function defineTrends(command: Command, context: Context): void {
  addRange(
    subcommand(command, 'query', 'count events or persons, or compute a property, over time', [
      'svc trends query order_paid order_paid:persons',
      'svc trends query order_paid:sum:total --breakdown plan --interval week --from 90d',
      'svc trends query order_paid:p90:total --where "plan = pro" --json',
      'svc trends query order_paid --from 7d --compare',
    ]).argument(
      '<series...>',
      'one to five: EVENT, EVENT:persons, EVENT:sum:PROPERTY; also average and p90 of a property',
    ),
    context,
    'events',
  )
    .addOption(new Option('--interval <length>', 'length of buckets (default: day)').choices(TREND_INTERVALS))
    .option('--breakdown <property>', 'breakdown by a property: figures for each value, largest first')
    .option('--breakdown-limit <n>', 'number of values (default: 10)', parseCount(1, 50))
    .option('--where <filter>', `filter on events; ${WHERE}`, collect)
    .option('--compare', 'compare the totals with the period before; with --json, its answer follows')
    .action(lazy(context, async () => (await import('../insights/trends.js')).printTrends))
}

export function defineRetention(command: Command, context: Context): void {
  addRange(
    subcommand(command, 'query', 'count how many persons come back, by the time of their first event', [
      'svc retention query signed_up order_paid --interval week --periods 4 --from 30d',
      'svc retention query order_paid --return-where "total >= 10" --json',
    ])
      .argument('<start>', 'event that puts a person into a cohort')
      .argument('[return]', 'event by which a person comes back (default: the start event)'),
    context,
    'start events',
  )
    .addOption(
      new Option('--interval <length>', 'length of cohorts and periods (default: day)').choices(
        RETENTION_INTERVALS,
      ),
    )
    .option('--periods <n>', 'number of periods (default: 8)', parseCount(1, MAX_RETENTION_PERIODS))
    .option('--start-where <filter>', `filter on start events; ${WHERE}`, collect)
    .option('--return-where <filter>', 'filter on return events; repeatable', collect)
    .action(lazy(context, async () => (await import('../insights/retention.js')).printRetention))
}

export function defineInsights(command: Command, context: Context): void {
  addPaging(
    subcommand(command, 'list', 'list insights, newest first', ['svc insights list']),
    100,
    1_000,
  ).action(lazy(context, async () => (await import('./read.js')).listInsightsCommand))
  subcommand(command, 'create', 'save trends, a retention or a funnel query', [
    'svc insights create insight.yaml',
  ])
    .argument('<file>', 'YAML or JSON: { name, kind, query }; - for standard input')
    .action(lazy(context, async () => (await import('../insights/saved.js')).createInsightFromFile))
  subcommand(command, 'update', 'change an insight, from a file', ['svc insights update Orders orders.json'])
    .argument('<name>', 'name or id of an insight')
    .argument('<file>', 'YAML or JSON: { name, description, query }, or some of them; - for standard input')
    .action(lazy(context, async () => (await import('../insights/saved.js')).updateInsightFromFile))
  subcommand(command, 'query', 'query an insight over its range', ['svc insights query Orders'])
    .argument('<name>', 'name or id of an insight')
    .action(lazy(context, async () => (await import('../insights/saved.js')).queryInsight))
  subcommand(
    command,
    'delete',
    'delete insights, and take them off their dashboards',
    ['svc insights delete Revenue'],
    'print { id } of each, one per line',
  )
    .argument('<names...>', 'names or ids, handled in this order up to the first error')
    .action(lazy(context, async () => (await import('../insights/saved.js')).deleteInsights))
}

export function defineDashboards(command: Command, context: Context): void {
  addPaging(
    subcommand(command, 'list', 'list dashboards, newest first', ['svc dashboards list']),
    100,
    1_000,
  ).action(lazy(context, async () => (await import('./read.js')).listDashboardsCommand))
  addDashboardFields(
    subcommand(command, 'create', 'create a dashboard of insights', [
      'svc dashboards create Weekly --insight Orders --last 7d',
    ]).argument('<name>', 'name of the dashboard'),
    ' (default: 30d)',
  ).action(lazy(context, async () => (await import('../insights/saved.js')).addDashboard))
  addDashboardFields(
    subcommand(command, 'update', 'change a dashboard: only what the options name', [
      'svc dashboards update Weekly --last 30d',
      'svc dashboards update Weekly --insight Orders --json',
    ])
      .argument('<name>', 'name or id of a dashboard')
      .option('--name <name>', 'new name'),
  ).action(lazy(context, async () => (await import('../insights/saved.js')).changeDashboard))
  subcommand(
    command,
    'delete',
    'delete dashboards; their insights stay',
    ['svc dashboards delete Weekly'],
    'print { id } of each, one per line',
  )
    .argument('<names...>', 'names or ids, handled in this order up to the first error')
    .action(lazy(context, async () => (await import('../insights/saved.js')).deleteDashboards))
}

function addDashboardFields(command: Command, usual = ''): Command {
  return command
    .option(
      '--insight <name>',
      'name or id of an insight; repeatable, in the order of the dashboard',
      collect,
    )
    .addOption(
      new Option('--last <range>', `range of every insight${usual}`).choices(Object.keys(SAVED_RANGES)),
    )
}

function addRange(command: Command, context: Context, what: string): Command {
  return command
    .option(
      '--from <time>',
      `${what} at or after a time, or an age such as 7d (default: 30d)`,
      parseTime(context),
    )
    .option('--to <time>', `${what} before a time or an age (default: now)`, parseTime(context))
}
