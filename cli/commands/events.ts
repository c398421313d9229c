import { type Command, Option } from 'commander'
import type { CommonOptions, Context } from '../context.js'
import { parseCount } from '../option-parsers.js'
import { addJsonAndExamples, addPaging, collect, EACH_ANSWER, lazy, parseTime, subcommand } from './define.js'

const YEAR_SECONDS = 31_536_000

export function defineEvents(command: Command, context: Context): void {
  addPaging(
    subcommand(command, 'list', 'list the received events, newest first', [
      'svc events list --limit 10',
      'svc events list --sort-by event --sort-dir asc --json',
    ])
      .option('--sort-by <field>', 'receivedAt (default) or event')
      .option('--sort-dir <direction>', 'asc or desc (default)'),
    25,
    100,
  ).action(lazy(context, async () => (await import('./read.js')).listEventsCommand))
  addPaging(
    subcommand(command, 'names', 'list the names of received events, most frequent first', [
      'svc events names',
      'svc events names --search order --limit 20',
      'svc events names --hidden only',
    ])
      .option('--search <text>', 'part of the name, in any case')
      .option('--hidden <which>', 'names that are hidden: exclude (default), include or only'),
    1_000,
    10_000,
  ).action(lazy(context, async () => (await import('./read.js')).listEventNamesCommand))
  addPaging(
    subcommand(command, 'refused', 'list why events were refused in the last seven days, newest first', [
      'svc events refused',
      'svc events refused --warnings --json',
    ])
      .option('--key <id>', 'only of this server key')
      .option('--warnings', 'warnings that clients asked for, instead of refusals'),
    25,
    100,
  ).action(lazy(context, async () => (await import('./read.js')).listRefusedCommand))
  for (const [verb, summary] of [
    ['hide', 'leave event names out of lists and suggestions; their events stay'],
    ['show', 'list hidden event names again'],
  ] as const)
    subcommand(command, verb, summary, [`svc events ${verb} 'order_*' debug`], EACH_ANSWER)
      .argument('<names...>', 'event names; order_* is all names that begin with order_')
      .action(lazy(context, async () => (await import('../events/hide.js')).setHidden(verb === 'hide')))
  subcommand(
    command,
    'describe',
    'describe an event name or one of its properties, for lists and suggestions',
    [
      'svc events describe order_paid --text "A payment that went through"',
      'svc events describe order_paid total --text "In euros" --json',
      'svc events describe order_paid plan --hide',
    ],
  )
    .argument('<event>', 'event name')
    .argument('[property]', 'property of its events, such as plan.name')
    .option('--text <text>', 'description; an empty one is removed')
    .option('--hide', 'leave it out of lists and suggestions; its events stay')
    .option('--show', 'list it again')
    .action(lazy(context, async () => (await import('../events/describe.js')).describeEvent))
  subcommand(
    command,
    'types',
    'print the types of the received events for the client libraries, in TypeScript or Python',
    [
      'svc events types > events.ts',
      'svc events types --python > event_types.py',
      'svc events types > events.ts; svc events types --check events.ts',
    ],
    'print { events, types }, or { file, differences } with --check',
  )
    .option('--python', 'TypedDicts for Python')
    .option('--check <file>', 'exit 1 if the file differs, for pipelines; .py is Python')
    .action(lazy(context, async () => (await import('../events/types.js')).eventTypes))
  subcommand(
    command,
    'tail',
    'watch events arrive, oldest first; ^C ends it',
    [
      'svc events tail --lines 5 --no-follow',
      'svc events tail --event order_paid --count 1 --timeout 30 --json',
    ],
    'print each event as JSON, one per line',
  )
    .option('--event <name>', 'only events of this name')
    .option('--person <id>', 'only events of this person: user:ID or anonymous:ID')
    .option('--where <filter>', 'only events with this property: "plan = pro", "coupon exists"')
    .option('--lines <n>', 'number of earlier events to begin with (default: 10)', parseCount(0, 1_000))
    .addOption(new Option('--no-follow', 'end after the earlier events'))
    .option('--count <n>', 'end after this many events', parseCount(1, 1_000_000_000))
    .option(
      '--timeout <seconds>',
      'end after this time; exit 1 if fewer than --count events came',
      parseCount(1, YEAR_SECONDS),
    )
    .action(lazy(context, async () => (await import('../events/tail.js')).tailEvents))
  defineFiles(command, context)
}

export function defineLedger(command: Command, context: Context): void {
  addJsonAndExamples(
    command,
    [
      "svc ledger --key 'Demo server key'",
      "svc ledger --key 'Demo server key' --from 7d --json",
      "svc ledger --key 'Demo server key' --compare stats.json",
    ],
    'print the answer unchanged; with --compare, also compared: { confirmed, accepted, hours }',
  )
    .requiredOption('--key <key>', 'id, name or last four characters of the key that sent the events')
    .option(
      '--from <time>',
      'received in this UTC hour or later; a time, or an age such as 7d (default: 24h)',
      parseTime(context),
    )
    .option(
      '--to <time>',
      'received before the end of this hour; a time or an age (default: now)',
      parseTime(context),
    )
    .option(
      '--compare <file>',
      'stats() of svc-events as JSON; exit 1 if a client was told more than arrived; repeatable, one for each client',
      collect,
    )
    .action(lazy(context, async () => (await import('../events/ledger.js')).printLedger))
}

function defineFiles(command: Command, context: Context): void {
  subcommand(
    command,
    'export',
    'write events to a file, in the order of receipt; the same command goes on after an interruption',
    [
      'svc events export events.ndjson',
      'svc events export paid.csv --event order_paid --from 2026-11-01T00:00:00Z',
      'svc events export november.parquet --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z',
    ],
    'print { file, format, events }; events is left out for parquet',
  )
    .argument('<file>', 'ends in .ndjson, .csv or .parquet; - for standard output')
    .option('--from <time>', 'only events that happened then or later, such as 2026-11-01T00:00:00Z')
    .option('--to <time>', 'only events that happened before')
    .option('--event <name>', 'only events of this name')
    .option('--format <format>', 'ndjson, csv or parquet, if the name does not tell')
    .action(lazy(context, async () => (await import('../events/export.js')).exportToFile))
  subcommand(
    command,
    'send',
    'send events from a file, with the server key of SVC_SERVER_KEY',
    [
      'svc events send events.ndjson',
      'svc events send history.csv --json',
      'gzip -dc events.ndjson.gz | svc events send -',
    ],
    'print { file, accepted, refused: [{ line, field, message }], notSent, olderThanSevenDays }',
  )
    .argument(
      '<file>',
      'one event per line (.ndjson, .ndjson.gz) or row (.csv, .csv.gz); - for lines from standard input',
    )
    .option('--csv', 'rows of CSV, whatever the name of the file')
    .option(
      '--patience <seconds>',
      'how long to retry while nothing gets through (default: 300)',
      parseCount(1, 86_400),
    )
    .action(
      lazy(context, async () => {
        const { sendEvents } = await import('../events/send.js')
        // Without the command, which commander gives as the last argument.
        return (context: Context, file: string, options: CommonOptions) => sendEvents(context, file, options)
      }),
    )
}
