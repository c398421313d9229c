import type { Command } from 'commander'
import type { Common, Context } from '../../context.js'
import { leaf } from '../leaf.js'

export function define(command: Command, context: Context): void {
  leaf(command, ['svc whoami', 'svc whoami --json'], 'print /me as it came').action(
    async (options: Common) => {
      const { whoami } = await import('../../session/whoami.js')
      await whoami(context, options)
    },
  )
}
