import * as nodeModule from 'node:module'
import { readVersion } from '../runtime/version.js'
import type { CommandEntry } from './commands/table.js'
import type { run } from './run.js'

/** Everything behind the first line: what carries out a command line, and the commands. */
interface Commands {
  readonly run: typeof run
  readonly entries: readonly CommandEntry[]
}

/** Runs the command line of this process. */
export async function main(load: () => Promise<Commands>): Promise<void> {
  const args = process.argv.slice(2)
  // The shortest question is asked most: it loads nothing.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${readVersion()}\n`)
    return
  }
  enableCompileCache()
  const { run, entries } = await load()
  process.exitCode = await run(args, readVersion(), entries)
}

/** From Node 22.8 on, what was compiled is kept for the next time, in the system's folder for temporary files; Node 20 compiles anew. */
function enableCompileCache(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: () => unknown }
  enableCompileCache?.()
}
