import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { type Account, type Launch, launchAs } from './account.js'
import type { PostgresBinaries } from './binaries.js'
import { ENVIRONMENT } from './settings.js'

/** A cluster and the programs that run on it. */
export interface Installation {
  readonly binaries: PostgresBinaries
  /** Of the cluster, its log and its lock. */
  readonly folder: string
  readonly cluster: string
  /** Undefined for the user of svc. */
  readonly account: Account | undefined
  /** False lets a power cut lose data: for tests only. */
  readonly durable: boolean
}

/** Starts the server's program on the cluster. */
export function spawnPostgres(
  { binaries, cluster, account }: Installation,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const { root, postgres } = binaries
  return spawnAs(launchAs(account, postgres, args, [root, postgres, cluster]), stdio)
}

/** Starts a program in its own process group: Ctrl-C in the terminal is for svc to handle. */
export function spawnAs({ file, args, ...as }: Launch, stdio: StdioOptions): ChildProcess {
  return spawn(file, args, { ...as, env: ENVIRONMENT, cwd: '/', detached: true, stdio })
}

/** How a program that was to end by itself has failed, and the end of its output. Undefined if it has not. */
export function failureOf(
  child: ChildProcess,
): Promise<{ readonly end: string; readonly output: string } | undefined> {
  return new Promise((resolve) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString('utf8')).slice(-4_000)
      })
    child.once('error', ({ message }) => resolve({ end: message, output }))
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : { end: `ended with ${signal ?? `exit code ${code}`}`, output }),
    )
  })
}
