import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc whoami', 'svc whoami --json'], 'print /me as it came').action(
    async (options: CommonOptions) => {
      const { whoami } = await import('../../session/whoami.js')
      await whoami(context, options)
    },
  )
}
