import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { combineSignals } from '../../runtime/concurrency/combine-signals.js'
import { abortedError, RepositoryError } from '../errors.js'
import { gitExitError, gitSpawnError } from './git-errors.js'

/** A repository's git directory, and the git that works on it. */
export interface Git {
  /** Runs git to its end and gives what it wrote. */
  run(args: readonly string[], options?: RunOptions): Promise<Buffer>
  /** Starts git for a conversation; the caller ends it with `stop`. */
  start(args: readonly string[], options?: Pick<RunOptions, 'signal' | 'env'>): GitProcess
}

export interface RunOptions {
  readonly input?: Uint8Array | string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** Exit codes beside 0 that are no failure. */
  readonly alsoFine?: readonly number[]
  /** What git writes is given piece by piece instead of being gathered. Throwing stops git. */
  readonly onChunk?: (chunk: Buffer) => void
}

export interface GitProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Rejects where git fails; resolves after `stop`. */
  readonly ended: Promise<void>
  stop(): void
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** What git writes at most to be gathered; more is a repository beyond what is meant, or damage. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 16 * 1024
/** Time to remove its lock files, before it is killed. */
const GRACE_MS = 2000

/**
 * Settings before which a repository's own ones do not count. Its configuration cannot be left unread, so whatever could start a program, reach the
 * network or write beside objects and refs is set to nothing here, and only commands that ask for no more are used.
 */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'credential.helper=',
  'protocol.allow=never',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'i18n.commitEncoding=UTF-8',
]

/** The whole environment: nothing of the service's own reaches git, and nothing of the machine's configuration. */
function environment(searchPath: string): Record<string, string> {
  return {
    PATH: searchPath,
    HOME: '/dev/null',
    XDG_CONFIG_HOME: '/dev/null',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
  }
}

/**
 * Git for one repository. The directory is named and not searched for, so a folder inside of another repository is never taken for that one, and git trusts it
 * whoever owns it: whoever connected it said so. It runs in the git directory, where no work tree's attributes are read.
 */
export function gitIn(options: {
  readonly gitDir: string
  /** Where git runs: a directory. */
  readonly cwd: string
  readonly searchPath: string
  /** For a single run. */
  readonly timeoutMs: number
  /** Ends whatever runs. */
  readonly closing: AbortSignal
}): Git {
  const base = [
    '--no-pager',
    `--git-dir=${options.gitDir}`,
    ...SETTINGS.flatMap((setting) => ['-c', setting]),
  ]
  const launch = (args: readonly string[], env: Readonly<Record<string, string>> | undefined): Child =>
    spawn('git', [...base, ...args], {
      cwd: options.cwd,
      env: { ...environment(options.searchPath), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
  return {
    run: (args, run = {}) =>
      runToEnd(launch(args, run.env), args, run, [options.closing, run.signal], options.timeoutMs),
    start: (args, { signal, env } = {}) => converse(launch(args, env), args, [options.closing, signal]),
  }
}

/** What `git --version` says; rejects where there is no git. */
export async function gitVersion(searchPath: string, timeoutMs: number): Promise<string> {
  const child = spawn('git', ['--version'], {
    cwd: '/',
    env: environment(searchPath),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const text = String(await runToEnd(child, ['--version'], {}, [], timeoutMs))
  return /\d+\.\d+(?:\.\d+)*/.exec(text)?.[0] ?? text.trim()
}

async function runToEnd(
  child: Child,
  args: readonly string[],
  run: RunOptions,
  signals: readonly (AbortSignal | undefined)[],
  timeoutMs: number,
): Promise<Buffer> {
  const process = converse(child, args, signals, run.alsoFine, timeoutMs)
  const chunks: Buffer[] = []
  let bytes = 0
  let refusal: unknown
  process.stdout.on('data', (chunk: Buffer) => {
    if (refusal !== undefined) return
    try {
      if (run.onChunk !== undefined) return run.onChunk(chunk)
      bytes += chunk.length
      if (bytes > MAX_OUTPUT_BYTES)
        throw new RepositoryError('too_large', `git ${args[0]} answers with more than can be held`)
      chunks.push(chunk)
    } catch (error) {
      refusal = error
      process.stop()
    }
  })
  process.stdin.end(run.input ?? '')
  await process.ended
  if (refusal !== undefined) throw refusal
  return Buffer.concat(chunks)
}

function converse(
  child: Child,
  args: readonly string[],
  signals: readonly (AbortSignal | undefined)[],
  alsoFine: readonly number[] = [],
  timeoutMs?: number,
): GitProcess {
  const { signal, release } = combineSignals(signals, timeoutMs)
  const what = `git ${args[0]}`
  let stopping = false
  let stderr = ''
  let killer: NodeJS.Timeout | undefined
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_ERROR_BYTES) stderr += chunk.toString('utf8')
  })
  // It ended before it read everything: what it says of itself, or its exit code, tells why.
  child.stdin.on('error', () => undefined)
  const stop = () => {
    if (stopping) return
    stopping = true
    child.kill('SIGTERM')
    child.stdin.destroy()
    // Unread output would hold its end back.
    child.stdout.resume()
    killer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(gitSpawnError(error))
    })
    child.once('close', (code, killedBy) => {
      if (signal.aborted) reject(abortedError(signal, what))
      else if (stopping || code === 0 || (code !== null && alsoFine.includes(code))) resolve()
      else reject(gitExitError(what, code ?? killedBy, stderr))
    })
  }).finally(() => {
    clearTimeout(killer)
    release()
  })
  // Whoever converses may look at it late.
  ended.catch(() => undefined)
  return { stdin: child.stdin, stdout: child.stdout, ended, stop }
}
