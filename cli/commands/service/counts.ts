import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc counts', 'svc counts --json']).action(async (options: CommonOptions) => {
    const { showCounts } = await import('../../service/counts.js')
    await showCounts(context, options)
  })
}
