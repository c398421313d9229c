import { type Command, InvalidArgumentError } from 'commander'
import { STATUSES, type Status } from '../../domain/lifecycle.js'
import type { Context } from '../context.js'
import { parseCount, parseId, parseMoment } from '../option-parsers.js'

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS
export const EACH_ANSWER = 'print each answer unchanged, one per line'
export const ID_OR_KEY = 'key or id'
export const IDS = 'keys or ids, handled in this order up to the first error'

/** A subcommand with `--json` and examples. The tests run every example. */
export function subcommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
  json?: string,
): Command {
  return addJsonAndExamples(parent.command(name).description(description), examples, json)
}

export function addJsonAndExamples(
  command: Command,
  examples: readonly string[],
  json = 'print the answer unchanged',
): Command {
  return command.option('--json', json).addHelpText('after', examplesText(examples))
}

export function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`
}

/** Loads the code of a command only when it runs, because loading is most of the startup time. */
export function lazy<Args extends unknown[]>(
  context: Context,
  load: () => Promise<(context: Context, ...args: Args) => Promise<void> | void>,
): (...args: Args) => Promise<void> {
  return async (...args) => (await load())(context, ...args)
}

export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}

export function addPaging(command: Command, defaultLimit: number, maxLimit: number): Command {
  return command
    .option('--limit <n>', `rows to list (default: ${defaultLimit})`, parseCount(1, maxLimit))
    .option('--offset <n>', 'rows to skip first', parseCount(0, Number.MAX_SAFE_INTEGER))
}

export function addWait(command: Command, description: string, maxSeconds = DAY_SECONDS): Command {
  return command
    .option('--wait', description)
    .option('--timeout <seconds>', 'longest wait (default: 600)', parseCount(1, maxSeconds))
}

export const addLongWait = (command: Command, description: string): Command =>
  addWait(command, description, YEAR_SECONDS)

export function addListFilters(command: Command, context: Context): Command {
  const filtered = command
    .option('--priority <list>', 'low, medium, high; several separated by commas')
    .option('--experiment-run-id <id>', 'from this generation run', parseId)
    .option('--search <text>', 'text in name, key, mechanism, notes or hypothesis')
    .option(
      '--created-after <time>',
      'at or after a time, or an age such as 2d, 12h, 90m',
      parseTime(context),
    )
    .option('--created-before <time>', 'before a time or an age', parseTime(context))
    .option('--kind <kind>', 'experiment or feature')
    .option('--test-type <type>', 'dom or message')
    .option(
      '--sort-by <field>',
      'createdAt (default), updatedAt, startedAt, usersExposed, name, estimatedLift, confidence, priority',
    )
    .option('--sort-dir <direction>', 'asc or desc (default)')
  return addPaging(filtered, 50, 200)
}

export function parseStatuses(text: string): Status[] {
  return text.split(',').map((word) => {
    const status = STATUSES.find((each) => each === word.trim())
    if (status === undefined)
      throw new InvalidArgumentError(
        `There is no status ${JSON.stringify(word.trim())}: they are ${STATUSES.join(', ')}.`,
      )
    return status
  })
}

/** Parses a time or an age such as `2d` into ISO 8601. A date alone means its start in UTC. */
export function parseTime(context: Pick<Context, 'now'>): (text: string) => string {
  return (text) => {
    const moment = parseMoment(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
    const at = 'at' in moment ? moment.at.getTime() : context.now() - moment.agoMs
    return new Date(at).toISOString()
  }
}
