import type { Command } from 'commander'
import type { CommonOptions, Context } from '../../context.js'
import { addJsonAndExamples } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  addJsonAndExamples(
    command,
    ['svc doctor', 'svc doctor --json'],
    'print { ok, checks: [{ code, ok, message, fix }] }',
  )
    .addHelpText(
      'after',
      `
With SVC_SERVER_KEY it sends one event, $svc_doctor, and waits until the API lists it. Exits 1 where something is wrong.`,
    )
    .action(async (options: CommonOptions) => {
      const { doctor } = await import('../../service/doctor.js')
      await doctor(context, options)
    })
}
