import type { Command } from 'commander'
import type { Context } from '../../context.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc logout --profile staging', 'svc logout'], 'print { profile, removed }')
    .option('--all', 'every profile')
    .action(async (_, leaf: Command) => {
      const { logout } = await import('../../session/logout.js')
      logout(context, leaf.optsWithGlobals())
    })
}
