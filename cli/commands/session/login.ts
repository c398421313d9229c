import type { Command } from 'commander'
import type { Context } from '../../context.js'
import { examplesText } from '../json-and-examples.js'

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print /me as it came')
    .addHelpText(
      'after',
      `
The key is never an argument, which others on the machine could read: it is typed at a hidden prompt, or comes in on standard input.
It is tried first, and stored with the address it is for (SVC_API_URL, else the profile's, else this machine) under --profile.
${examplesText(['svc login < key.txt', 'svc login --profile staging < key.txt'])}`,
    )
    .action(async (_, leaf: Command) => {
      const { login } = await import('../../session/login.js')
      await login(context, leaf.optsWithGlobals())
    })
}
