import type { Command } from 'commander'
import type { Context } from '../context.js'
import { parseCount, parseId } from '../option-parsers.js'
import {
  addJsonAndExamples,
  addListFilters,
  addPaging,
  addWait,
  EACH_ANSWER,
  ID_OR_KEY,
  IDS,
  lazy,
  subcommand,
} from './define.js'

const RUN_ID = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63'

export function defineProposals(command: Command, context: Context): void {
  addListFilters(
    subcommand(command, 'list', 'list the proposals that wait for a decision, newest first', [
      'svc proposals list',
      'svc proposals list --priority high --sort-by priority --json',
    ]),
    context,
  ).action(lazy(context, async () => (await import('./read.js')).listProposalsCommand))
  subcommand(command, 'show', 'show a proposal with its hypothesis and its plan, file by file', [
    'svc proposals show shorter-checkout',
  ])
    .argument('<id>', ID_OR_KEY)
    .action(lazy(context, async () => (await import('../experiments/show.js')).showExperiment))
  addWait(
    subcommand(
      command,
      'approve',
      'approve proposals; svc then writes their pull requests',
      [
        'svc proposals approve shorter-checkout --wait',
        'svc proposals approve shorter-checkout --acknowledge-overlap',
      ],
      `${EACH_ANSWER}; with --wait the last one`,
    )
      .argument('<ids...>', IDS)
      .option('--acknowledge-overlap', 'share a surface with an experiment in flight'),
    'wait until the pull request is written; exit 1 if that fails',
  ).action(lazy(context, async () => (await import('../experiments/actions.js')).approveProposals))
  subcommand(
    command,
    'dismiss',
    'dismiss proposals',
    [
      'svc proposals dismiss shorter-checkout --reason low_impact,too_risky --note "Few visitors see this page"',
    ],
    EACH_ANSWER,
  )
    .argument('<ids...>', IDS)
    .requiredOption(
      '--reason <list>',
      'not_relevant, too_risky, low_impact, duplicate, wrong_surface, other; several separated by commas',
    )
    .option('--note <text>', 'a note for the team, which later proposals and pull requests take into account')
    .action(lazy(context, async () => (await import('../experiments/actions.js')).dismissProposals))
  addWait(
    subcommand(command, 'revise', 'have a proposal rewritten', [
      `svc proposals revise shorter-checkout 'Say "Go on to payment"' --wait`,
    ])
      .argument('<id>', ID_OR_KEY)
      .argument('<text>', 'what to change, up to 4000 characters; - for standard input'),
    'wait until it is rewritten; exit 1 if that fails',
  ).action(lazy(context, async () => (await import('../proposals/generation.js')).revise))
}

export function defineGenerate(command: Command, context: Context): void {
  addWait(
    addJsonAndExamples(command, [
      'svc generate --count 3 --focus checkout',
      'svc generate --replace --wait --timeout 900',
    ])
      .option('--count <n>', 'number of proposals (default: 5)', parseCount(1, 20))
      .option('--focus <text>', 'what they should be about')
      .option('--replace', 'dismiss the pending proposals once the new ones are there'),
    'wait until the run is over; exit 1 if it fails',
  ).action(lazy(context, async () => (await import('../proposals/generation.js')).generate))
}

export function defineRuns(command: Command, context: Context): void {
  const list = command.command('list', { isDefault: true }).description('list runs, newest first')
  addPaging(addJsonAndExamples(list, ['svc runs', 'svc runs list --limit 5']), 25, 100).action(
    lazy(context, async () => (await import('./read.js')).listRunsCommand),
  )
  addWait(
    subcommand(command, 'show', 'show a run: its step, what it found and dropped, and why it failed', [
      `svc runs show ${RUN_ID}`,
      `svc runs show ${RUN_ID} --wait --timeout 300`,
    ]).argument('<id>', 'id, as svc runs list prints it', parseId),
    'wait until it is over; exit 1 if it fails',
  ).action(lazy(context, async () => (await import('../proposals/generation.js')).showRun))
}
