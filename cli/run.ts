import { readEnvironment } from './client/config.js'
import type { CommandEntry } from './commands/table.js'
import { createContext } from './create-context.js'
import { processTerminal } from './process-terminal.js'
import { runCommandLine } from './program.js'

/** Runs a command line in this process and returns its exit code. */
export function run(
  args: readonly string[],
  version: string,
  entries: readonly CommandEntry[],
): Promise<number> {
  const environment = readEnvironment()
  const terminal = processTerminal(environment)
  return runCommandLine(args, terminal, {
    version,
    entries,
    context: (options) => createContext(terminal, environment, version, options),
  })
}
