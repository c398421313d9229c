import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { parseCount } from '../../option-parsers.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command, [
    'svc generate --count 3 --focus checkout',
    'svc generate --replace --wait --timeout 900',
  ])
    .option('--count <n>', 'how many proposals (default: 5)', parseCount(1, 20))
    .option('--focus <text>', 'what they shall be about')
    .option('--replace', 'dismiss the pending proposals once the new ones are there')
    .option('--wait', 'wait until the run is over; exit 1 where it failed')
    .option('--timeout <seconds>', 'how long to wait at most (default: 600)', parseCount(1, 86_400))
    .action(async (options: CommonOptions) => {
      const { generate } = await import('../../proposals/generate.js')
      await generate(context, options)
    })
}
