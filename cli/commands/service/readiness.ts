import type { Command } from 'commander'
import type { Common, Context } from '../../context.js'
import { leaf } from '../leaf.js'

export function define(command: Command, context: Context): void {
  leaf(command, ['svc readiness', 'svc readiness --json']).action(async (options: Common) => {
    const { showReadiness } = await import('../../service/readiness.js')
    await showReadiness(context, options)
  })
}
