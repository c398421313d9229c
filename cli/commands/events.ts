import { type Command, Option } from 'commander'
import type { CommonOptions, Context } from '../context.js'
import { parseCount } from '../option-parsers.js'
import { addJsonAndExamples } from './json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command.command('list').description('list the events that came in, newest first'), [
    'svc events list --limit 10',
    'svc events list --sort-by event --sort-dir asc --json',
  ])
    .option('--sort-by <field>', 'receivedAt (default) or event')
    .option('--sort-dir <direction>', 'asc or desc (default)')
    .option('--limit <n>', 'how many (default: 25)', parseCount(1, 100))
    .option('--offset <n>', 'how many to leave out first', parseCount(0, Number.MAX_SAFE_INTEGER))
    .action(async (options: CommonOptions) => {
      const { listEvents } = await import('../events/list.js')
      await listEvents(context, options)
    })
  addJsonAndExamples(
    command.command('names').description('list the names of events that ever came in, most frequent first'),
    ['svc events names'],
  ).action(async (options: CommonOptions) => {
    const { listEventNames } = await import('../events/names.js')
    await listEventNames(context, options)
  })
  addJsonAndExamples(
    command.command('tail').description('watch events come in, oldest first; ^C ends it'),
    [
      'svc events tail --lines 5 --no-follow',
      'svc events tail --event order_paid --count 1 --timeout 30 --json',
    ],
    'print each event as JSON, a line each',
  )
    .option('--event <name>', 'only of this name')
    .option('--person <id>', 'only of this person: user:ID or anonymous:ID')
    .option('--where <filter>', 'only with this property: "plan = pro", "coupon exists"')
    .option(
      '--lines <n>',
      'how many of those that are there to begin with (default: 10)',
      parseCount(0, 1_000),
    )
    .addOption(new Option('--no-follow', 'end after those that are there'))
    .option('--count <n>', 'end after so many', parseCount(1, 1_000_000_000))
    .option(
      '--timeout <seconds>',
      'end after this time; exit 1 where --count were not seen',
      parseCount(1, 31_536_000),
    )
    .action(async (options: CommonOptions & { readonly follow: boolean }) => {
      const { tailEvents } = await import('../events/tail.js')
      await tailEvents(context, options)
    })
  addJsonAndExamples(
    command.command('send').description('send events from a file, with the server key of SVC_SERVER_KEY'),
    [
      'svc events send events.ndjson',
      'svc events send history.csv --json',
      'gzip -dc events.ndjson.gz | svc events send -',
    ],
    'print { file, accepted, refused: [{ line, field, message }], notSent }',
  )
    .argument(
      '<file>',
      'an event a line (.ndjson, .ndjson.gz) or row (.csv, .csv.gz); - for lines from standard input',
    )
    .option('--csv', 'rows of CSV, whatever the name says')
    .option(
      '--patience <seconds>',
      'how long to try on while nothing gets through (default: 300)',
      parseCount(1, 86_400),
    )
    .action(async (file: string, options: CommonOptions) => {
      const { sendEvents } = await import('../events/send.js')
      await sendEvents(context, file, options)
    })
}
