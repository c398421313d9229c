import * as nodeModule from 'node:module'
import { readVersion } from '../runtime/version.js'
import type { CommandEntry } from './commands/table.js'
import type { run } from './run.js'

interface Commands {
  readonly run: typeof run
  readonly entries: readonly CommandEntry[]
}

/** Loads the commands and runs the one in `process.argv`. The exit code is set, not forced. */
export async function startCli(load: () => Promise<Commands>): Promise<void> {
  const args = process.argv.slice(2)
  // `--version` loads nothing else.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${readVersion()}\n`)
    return
  }
  enableCompileCache()
  const { run, entries } = await load()
  process.exitCode = await run(args, readVersion(), entries)
}

/** Node 22.8 and later cache compiled code in the temporary folder. */
function enableCompileCache(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: () => unknown }
  enableCompileCache?.()
}
