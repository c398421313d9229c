import type { ChildProcess } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DataDirectoryError, lockDataDirectory } from '../../runtime/data-directory.js'
import { errorCode } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { type Account, chooseAccount, giveTo, letThrough } from './account.js'
import { findBinaries } from './binaries.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { initialise, lastLines, PASSWORD_FILE } from './initialise.js'
import { type Installation, spawnPostgres } from './installation.js'
import { isServing, readPostmaster, SHUTDOWN_STEPS, stopLeftover } from './postmaster.js'
import { limitRole } from './role.js'
import { DATABASE, ROLE, serverSettings } from './settings.js'

export { EmbeddedPostgresError } from './embedded-postgres-error.js'

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster, its log and its lock; created if missing. */
  readonly dataDir: string
  readonly logger?: Pick<Logger, 'info' | 'warn'>
  /** Called once if the server ends unasked. */
  readonly onExit?: (reason: string) => void
  /** False lets a power cut lose data: for tests only. */
  readonly durable?: boolean
  /** How long another process, such as `svc admin`, may hold the folder before this start fails. */
  readonly lockWaitMs?: number
  /** The port to try next. @default a free one */
  readonly choosePort?: () => Promise<number>
}

export interface EmbeddedPostgres {
  /** `postgres://…` with user and password. */
  readonly url: string
  readonly pid: number
  /** Disconnects all clients and stops the server. Resolves when it has ended. */
  stop(): Promise<void>
}

const START_WAIT_MS = 300_000
const SETTLE_WAIT_MS = 15_000
const LOG_BYTES = 4 * 1024 * 1024

/**
 * Starts the embedded Postgres of a folder, creates it on first use, and resolves when it answers. A server
 * left behind by a killed svc is stopped first.
 *
 * @throws EmbeddedPostgresError
 * @throws DataDirectoryError if another process holds the folder, or it cannot be written
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = findBinaries()
  const folder = resolve(options.dataDir)
  const durable = options.durable ?? true
  const release = await lockFolder(folder, options.lockWaitMs ?? 20_000)
  try {
    const cluster = join(folder, 'cluster')
    const account = chooseAccount(cluster)
    giveTo(account, folder, false)
    letThrough(account, dirname(folder))
    const installation = { binaries, folder, cluster, account, durable }
    await initialise(installation)
    if (account !== undefined && statSync(cluster).uid === 0) giveTo(account, cluster, true)
    await stopLeftover(cluster)
    const server = await startServer(installation, options.choosePort ?? freePort)
    let stopping = false
    // An exception that ends svc must not leave the server behind. A fast shutdown loses no commit.
    const shutDown = (): unknown => server.child.kill('SIGINT')
    process.once('exit', shutDown)
    server.child.once('exit', (code, signal) => {
      process.off('exit', shutDown)
      release()
      if (stopping) return
      const reason = `the embedded Postgres ended with ${signal ?? `exit code ${code}`}`
      options.logger?.warn({ code, signal }, reason)
      options.onExit?.(reason)
    })
    return {
      url: urlOf(cluster, server.port),
      pid: server.pid,
      async stop() {
        stopping = true
        await stopServer(server.child, options.logger)
        release()
      },
    }
  } catch (error) {
    release()
    if (error instanceof Error && 'syscall' in error)
      throw new EmbeddedPostgresError(
        `the embedded Postgres in ${folder} cannot be started: ${error.message}`,
        { cause: error },
      )
    throw error
  }
}

/** The server that runs on a folder, whichever process started it. Undefined if none does. */
export async function findEmbeddedPostgres(options: {
  readonly dataDir: string
}): Promise<{ readonly url: string } | undefined> {
  const cluster = join(resolve(options.dataDir), 'cluster')
  try {
    const postmaster = readPostmaster(cluster)
    if (postmaster === undefined || !postmaster.ready || !isServing(cluster, postmaster.pid)) return undefined
    return { url: urlOf(cluster, postmaster.port) }
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    throw new EmbeddedPostgresError(
      `the database in ${cluster} belongs to another user: run this as the user who started svc, or as root`,
    )
  }
}

/** One process at a time initialises and starts. */
async function lockFolder(folder: string, waitMs: number): Promise<() => void> {
  for (const end = Date.now() + waitMs; ; await delay(50)) {
    try {
      return lockDataDirectory(folder)
    } catch (error) {
      if (!(error instanceof DataDirectoryError && error.inUse) || Date.now() >= end) throw error
    }
  }
}

function urlOf(cluster: string, port: number): string {
  const password = readFileSync(join(cluster, PASSWORD_FILE), 'utf8').trim()
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`
}

interface Server {
  readonly child: ChildProcess
  readonly pid: number
  readonly port: number
}

async function startServer(installation: Installation, choosePort: () => Promise<number>): Promise<Server> {
  let clashes = 0
  for (const settled = Date.now() + SETTLE_WAIT_MS; ; await delay(100)) {
    const result = (await limitRole(installation)) ?? (await tryServer(installation, await choosePort()))
    if (typeof result !== 'string') return result
    // Another program has taken the port in between.
    if (/Address already in use|could not create any TCP\/IP sockets/.test(result) && clashes++ < 5) continue
    // The last processes of a killed server still have to notice.
    if (/shared memory block .* still in use/.test(result) && Date.now() < settled) continue
    throw new EmbeddedPostgresError(
      `the embedded Postgres in ${installation.folder} did not start; the end of its log:\n${lastLines(result)}`,
    )
  }
}

/** One attempt: the running server, or its log output if it ended. */
async function tryServer(installation: Installation, port: number): Promise<Server | string> {
  const { folder, cluster, account, durable } = installation
  const log = openLog(folder, account)
  const logStart = fstatSync(log).size
  try {
    const args = ['-D', cluster, ...serverSettings(port, durable)]
    const child = spawnPostgres(installation, args, ['ignore', log, log])
    let ended: string | undefined
    child.once('error', (error) => {
      ended = error.message
    })
    child.once('exit', (code, signal) => {
      ended = signal ?? `exit code ${code}`
    })
    for (const end = Date.now() + START_WAIT_MS; ended === undefined; await delay(10)) {
      const postmaster = readPostmaster(cluster)
      if (child.pid !== undefined && postmaster?.pid === child.pid && postmaster.ready) {
        // It must not keep our own process alive.
        child.unref()
        return { child, pid: child.pid, port: postmaster.port }
      }
      if (Date.now() >= end) {
        await stopServer(child, undefined)
        return `it was not ready after ${START_WAIT_MS / 1_000} s\n${readFrom(log, logStart)}`
      }
    }
    return `${readFrom(log, logStart)}\n${ended}`
  } finally {
    closeSync(log)
  }
}

/** A file, not a pipe, so that the server can still write if svc is killed. The previous file is kept. */
function openLog(folder: string, account: Account | undefined): number {
  const path = join(folder, 'postgres.log')
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.1`)
  const descriptor = openSync(path, 'a+', 0o600)
  // Its owner may one day start svc without root.
  giveTo(account, path, false)
  return descriptor
}

function readFrom(descriptor: number, start: number): string {
  const size = fstatSync(descriptor).size
  const from = Math.max(start, size - 8_000)
  const bytes = Buffer.alloc(size - from)
  readSync(descriptor, bytes, 0, bytes.length, from)
  return bytes.toString('utf8')
}

function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolvePort(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

async function stopServer(child: ChildProcess, logger: Pick<Logger, 'warn'> | undefined): Promise<void> {
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  for (const { signal, waitMs } of SHUTDOWN_STEPS) {
    if (ended()) return
    if (signal !== 'SIGINT')
      logger?.warn({ signal }, 'Embedded Postgres does not stop: sending the next signal')
    child.kill(signal)
    for (const end = Date.now() + waitMs; !ended() && Date.now() < end; ) await delay(10)
  }
  if (!ended()) throw new EmbeddedPostgresError(`the embedded Postgres (process ${child.pid}) does not end`)
}
