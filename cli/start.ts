import type { Entry } from './commands/table.js'
import { readVersion } from './version.js'

/** Runs the command line of this process. */
export async function main(loadEntries: () => Promise<readonly Entry[]>): Promise<void> {
  const args = process.argv.slice(2)
  // The shortest question is asked most: it loads nothing.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${readVersion()}\n`)
    return
  }
  const [{ run }, entries] = await Promise.all([import('./run.js'), loadEntries()])
  process.exitCode = await run(args, readVersion(), entries)
}
