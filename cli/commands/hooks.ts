import { type Command, Option } from 'commander'
import type { Context } from '../context.js'
import { parseId } from '../option-parsers.js'
import { addPaging, lazy, subcommand } from './define.js'

const ID = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d70'
const DELIVERY = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d71'
const KINDS =
  'actions of the audit trail, results.ready, results.broken_split, proposals.ready, dead_letters.appeared, erasure.done, or * for all; separated by commas'

export function defineHooks(command: Command, context: Context): void {
  subcommand(command, 'list', 'list webhooks, newest first', ['svc hooks list']).action(
    lazy(context, async () => (await import('./read.js')).listHooksCommand),
  )
  const create = subcommand(
    command,
    'create',
    'create a webhook and print its secret, only once',
    [
      "svc hooks create https://hooks.example.com/svc --kinds '*'",
      'svc hooks create https://hooks.example.com/slack --kinds experiment.start,results.ready --format slack',
    ],
    'print the answer unchanged, with the secret',
  )
    .argument('<url>', 'where events are posted to')
    .requiredOption('--kinds <list>', KINDS, parseKinds)
  addOptions(create).action(lazy(context, async () => (await import('../hooks.js')).addHook))
  const update = subcommand(command, 'update', 'change what is named of a webhook and leave the rest', [
    `svc hooks update ${ID} --kinds results.ready,erasure.done`,
  ])
    .argument('<id>', 'id, as svc hooks list prints it', parseId)
    .option('--url <url>', 'where events are posted to')
    .option('--kinds <list>', KINDS, parseKinds)
  addOptions(update).action(lazy(context, async () => (await import('../hooks.js')).changeHook))
  addPaging(
    subcommand(command, 'deliveries', 'list what was posted to a webhook, newest first', [
      `svc hooks deliveries ${ID} --status failed`,
    ])
      .argument('<id>', 'id, as svc hooks list prints it', parseId)
      .option('--status <status>', 'pending, delivered or failed'),
    25,
    100,
  ).action(lazy(context, async () => (await import('./read.js')).listDeliveriesCommand))
  subcommand(command, 'retry', 'send deliveries again', [`svc hooks retry ${ID} ${DELIVERY}`])
    .argument('<id>', 'id of the webhook', parseId)
    .argument('<deliveries...>', 'ids of deliveries, handled in this order up to the first error')
    .action(lazy(context, async () => (await import('../hooks.js')).retryDeliveries))
  subcommand(
    command,
    'delete',
    'delete webhooks: nothing more is posted to them',
    [`svc hooks delete ${ID}`],
    'print { id } of each, one per line',
  )
    .argument('<ids...>', 'ids, handled in this order up to the first error')
    .action(lazy(context, async () => (await import('../hooks.js')).deleteHooks))
}

function addOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'svc: signed JSON (default); slack: a message').choices([
        'svc',
        'slack',
      ]),
    )
    .option('--secret-stdin', 'sign with the secret on standard input')
}

function parseKinds(text: string): string[] {
  return text
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '')
}
