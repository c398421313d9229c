import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { combineSignals } from '../../runtime/concurrency/combine-signals.js'
import { abortedError, RepositoryError } from '../errors.js'
import { gitExitError, gitSpawnError } from './git-errors.js'

/** Runs git for one repository. */
export interface Git {
  /** Gives a file or folder of svc to the user as whom git runs, so that git can read it. */
  giveTo(path: string): Promise<void>
  /** Runs git to its end and returns its output. */
  run(args: readonly string[], options?: RunOptions): Promise<Buffer>
  /** Starts git for several requests. The caller ends it with `stop`. */
  start(args: readonly string[], options?: Pick<RunOptions, 'signal' | 'env'>): GitProcess
}

export interface RunOptions {
  readonly input?: Uint8Array | string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** Exit codes besides 0 that are not failures. */
  readonly alsoFine?: readonly number[]
  /** Receives the output piece by piece instead of collecting it. Throwing stops git. */
  readonly onChunk?: (chunk: Buffer) => void
}

export interface GitProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Rejects if git fails; resolves after `stop`. */
  readonly ended: Promise<void>
  stop(): void
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Most output that is collected. More is an unusual repository, or damage. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 16 * 1024
/** Time for git to remove its lock files before it is killed. */
const GRACE_MS = 2000

/**
 * Override the repository's own configuration, which git always reads. They disable everything that could
 * start a program, use the network, or write outside objects and refs. Only commands that need no more are
 * used.
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
  'i18n.logOutputEncoding=UTF-8',
  // A log would check signatures by a program.
  'log.showSignature=false',
  'gpg.program=false',
  'gpg.openpgp.program=false',
  'gpg.x509.program=false',
  'gpg.ssh.program=false',
]

/** The whole environment: nothing of the service's or the machine's configuration reaches git. */
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
 * How git writes, so that the people of the repository can read and change it: with the permissions of its
 * directory, whatever svc's umask, and as its owner if svc is root.
 */
function accessOf(gitDir: string): Access {
  const found = statSync(gitDir, { throwIfNoEntry: false })
  if (found === undefined) return { fileMode: 'umask', owner: undefined }
  const { mode, uid, gid } = found
  const isOthers = process.getuid?.() === 0 && uid !== 0
  return { fileMode: `0${(mode & 0o666).toString(8)}`, owner: isOthers ? { uid, gid } : undefined }
}

interface Access {
  /** A value of `core.sharedRepository`. */
  readonly fileMode: string
  /** Undefined for the user of svc. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Git for one repository. The directory is explicit, so a folder inside another repository is never mistaken
 * for it. Git trusts it whichever user owns it, because an administrator connected it. Runs in the git
 * directory, so that no work tree's attributes apply.
 */
export function gitIn(options: {
  readonly gitDir: string
  /** The working directory of git. */
  readonly cwd: string
  readonly searchPath: string
  /** For one run. */
  readonly timeoutMs: number
  /** Ends all processes. */
  readonly closing: AbortSignal
}): Git {
  const { fileMode, owner } = accessOf(options.gitDir)
  const base = [
    '--no-pager',
    `--git-dir=${options.gitDir}`,
    '-c',
    `core.sharedRepository=${fileMode}`,
    ...SETTINGS.flatMap((setting) => ['-c', setting]),
  ]
  const launch = (args: readonly string[], env: Readonly<Record<string, string>> | undefined): Child =>
    spawn('git', [...base, ...args], {
      cwd: options.cwd,
      env: { ...environment(options.searchPath), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...owner,
    })
  return {
    giveTo: async (path) => {
      if (owner !== undefined) await chown(path, owner.uid, owner.gid)
    },
    run: (args, run = {}) =>
      runToEnd(launch(args, run.env), args, run, [options.closing, run.signal], options.timeoutMs),
    start: (args, { signal, env } = {}) => converse(launch(args, env), args, [options.closing, signal]),
  }
}

/** The output of `git --version`. Rejects if git is missing. */
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
  // Git ended before it read everything. Its message or exit code has the reason.
  child.stdin.on('error', () => undefined)
  const stop = () => {
    if (stopping) return
    stopping = true
    child.kill('SIGTERM')
    child.stdin.destroy()
    // Unread output would keep the process from ending.
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
  // Attach a no-op catch, because the caller may look at it late.
  ended.catch(() => undefined)
  return { stdin: child.stdin, stdout: child.stdout, ended, stop }
}
