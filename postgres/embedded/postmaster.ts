import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '../../runtime/errors.js'
import { isAlive } from '../../runtime/process-info.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'

/** The contents of `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly ready: boolean
}

/** Reads `postmaster.pid`, whether or not that process runs. Undefined if it is missing or half written. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[]
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  // By line: pid, data folder, start time, port, socket folder, address, shared memory, status.
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3] ?? 0), ready: lines[7]?.trim() === 'ready' }
}

/** Whether the process is a running Postgres on this cluster, and not another program with the same pid. */
export function isServing(cluster: string, pid: number): boolean {
  if (!isAlive(pid)) return false
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)) return true
  } catch {
    // Not Linux, or not permitted.
  }
  return argumentsOf(pid).includes(cluster)
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    try {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
        .trim()
        .split(' ')
    } catch {
      // The process is gone, or not ours to see.
      return []
    }
  }
}

/** Fast shutdown, immediate shutdown, kill: each after the one before took too long. None loses a commit. */
export const SHUTDOWN_STEPS = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const

/**
 * Stops a server left behind by a killed svc. Removes a `postmaster.pid` if its process id now belongs to
 * another program: Postgres would mistake that program for a running server.
 */
export async function stopLeftover(cluster: string): Promise<void> {
  const postmaster = readPostmaster(cluster)
  if (postmaster === undefined) return
  const { pid } = postmaster
  if (!isServing(cluster, pid)) {
    rmSync(join(cluster, 'postmaster.pid'), { force: true })
    return
  }
  for (const { signal, waitMs } of SHUTDOWN_STEPS) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (errorCode(error) === 'ESRCH') return
      throw new EmbeddedPostgresError(
        `a Postgres of another user (process ${pid}) runs on ${cluster}: stop it, or start svc as that user`,
      )
    }
    for (const end = Date.now() + waitMs; Date.now() < end; await delay(10)) if (!isAlive(pid)) return
  }
  throw new EmbeddedPostgresError(
    `the Postgres left on ${cluster} (process ${pid}) does not end: stop it by hand`,
  )
}
