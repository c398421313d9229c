import type { Command } from 'commander'
import type { Common, Context } from '../../context.js'
import { leaf } from '../leaf.js'

export function define(command: Command, context: Context): void {
  leaf(command, ['svc counts', 'svc counts --json']).action(async (options: Common) => {
    const { showCounts } = await import('../../service/counts.js')
    await showCounts(context, options)
  })
}
