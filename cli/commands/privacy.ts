import type { Command } from 'commander'
import type { Context } from '../context.js'
import { addPaging, addWait, lazy, subcommand } from './define.js'

const PERSON = 'the person as events show it: user:ID or anonymous:ID'

export function definePrivacy(command: Command, context: Context): void {
  subcommand(
    command,
    'export',
    'print all events of a person',
    ['svc privacy export user:u-1 > person.ndjson'],
    'print each event as JSON, one per line, as without it',
  )
    .argument('<person>', PERSON)
    .action(lazy(context, async () => (await import('../privacy.js')).printPersonEvents))
  addWait(
    subcommand(command, 'erase', 'remove everything that was received of a person, for good', [
      'svc privacy erase user:u-1 --wait',
      'svc privacy erase anonymous:device-7 --yes --json',
    ])
      .argument('<person>', PERSON)
      .option('--yes', 'do not ask'),
    'wait until it is done',
  ).action(lazy(context, async () => (await import('../privacy.js')).erasePerson))
  addPaging(
    subcommand(command, 'list', 'list erasures, newest first', [
      'svc privacy list',
      'svc privacy list --json',
    ]),
    25,
    100,
  ).action(lazy(context, async () => (await import('./read.js')).listErasuresCommand))
}
