import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(command, ['svc readiness', 'svc readiness --json']).action(
    async (options: CommonOptions) => {
      const { showReadiness } = await import('../../service/readiness.js')
      await showReadiness(context, options)
    },
  )
}
