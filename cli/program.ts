import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { packageRoot } from '../runtime/package-root.js'
import { addAdminCommands } from './commands/admin.js'
import { CommandFailure, EXIT } from './failure.js'
import type { Terminal } from './output.js'

/** Runs one command line (without node and script) and gives the exit code. Faults of the program itself are thrown. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await buildProgram(terminal).parseAsync(args, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (!(error instanceof CommandFailure)) throw error
    terminal.err(`svc: ${error.message}${error.code === undefined ? '' : ` (${error.code})`}\n`)
    return error.exitCode
  }
}

function buildProgram(terminal: Terminal): Command {
  const program = new Command('svc')
    .description('Runs experiments and reads funnels on svc.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    // Before any command is added: they inherit these.
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .showHelpAfterError('(add --help for what there is)')
    .addHelpText('after', '\nExit codes: 0 done, 1 refused, 2 wrong usage, 3 not authenticated.')
  addAdminCommands(program, terminal)
  return program
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}
