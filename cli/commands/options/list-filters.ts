import type { Command } from 'commander'
import type { Context } from '../../context.js'
import { parseCount, parseId } from '../../option-parsers.js'
import { parseTime } from './times.js'

/** What lists of experiments and of proposals can both be narrowed to, named as the API names it. */
export function addListFilters(command: Command, context: Context): Command {
  return command
    .option('--priority <list>', 'low, medium, high; several separated by commas')
    .option('--experiment-run-id <id>', 'of this generation run', parseId)
    .option('--search <text>', 'in name, key, mechanism, notes and hypothesis')
    .option(
      '--created-after <time>',
      'then or later: a time, or how long ago (2d, 12h, 90m)',
      parseTime(context),
    )
    .option('--created-before <time>', 'before', parseTime(context))
    .option('--kind <kind>', 'experiment or feature')
    .option('--test-type <type>', 'dom or message')
    .option(
      '--sort-by <field>',
      'createdAt (default), updatedAt, startedAt, usersExposed, name, estimatedLift, confidence, priority',
    )
    .option('--sort-dir <direction>', 'asc or desc (default)')
    .option('--limit <n>', 'how many (default: 50)', parseCount(1, 200))
    .option('--offset <n>', 'how many to leave out first', parseCount(0, Number.MAX_SAFE_INTEGER))
}
