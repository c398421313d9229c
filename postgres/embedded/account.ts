import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { errorReason } from '../../runtime/errors.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'

/** A user by the numbers of the kernel. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** How to start a program so that it runs as the account and can read its files. */
export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

/** Users that may run Postgres if svc runs as root; the first that exists is taken. */
const SERVANTS = ['postgres', 'nobody']

/**
 * The account to run Postgres as; undefined for the current user. If svc is root, which Postgres refuses: the
 * owner of an existing cluster, else `postgres`, else `nobody`.
 */
export function chooseAccount(cluster: string): Account | undefined {
  const own = process.getuid?.()
  const owner = statSync(cluster, { throwIfNoEntry: false })
  if (own !== 0) {
    if (owner !== undefined && own !== undefined && owner.uid !== own)
      throw new EmbeddedPostgresError(
        `the database in ${cluster} belongs to another user (uid ${owner.uid}): start svc as that user or as root, or set SVC_DATA_DIR to another directory`,
      )
    return undefined
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of SERVANTS) {
    const account = { uid: idOf('-u', name), gid: idOf('-g', name) }
    if (account.uid !== undefined && account.gid !== undefined && account.uid !== 0) return account as Account
  }
  throw new EmbeddedPostgresError(
    'Postgres does not run as root, and there is neither a user postgres nor nobody to run it as: add one, or start svc as an ordinary user',
  )
}

function idOf(option: '-u' | '-g', name: string): number | undefined {
  try {
    const id = Number(
      execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    return Number.isSafeInteger(id) ? id : undefined
  } catch {
    // No such account, or no `id` on this system.
    return undefined
  }
}

/** Gives a folder to the account; recursively for a copied cluster. */
export function giveTo(account: Account | undefined, path: string, recursive: boolean): void {
  if (account === undefined) return
  try {
    chownSync(path, account.uid, account.gid)
  } catch (error) {
    throw new EmbeddedPostgresError(
      `Postgres does not run as root, and root here may not give ${path} to the user it runs as instead (uid ${account.uid}; ${errorReason(error)}): start svc as an ordinary user, or set SVC_POSTGRES_URL to a server of your own`,
    )
  }
  if (!recursive) return
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!lstatSync(file).isSymbolicLink()) chownSync(file, account.uid, account.gid)
  }
}

/**
 * Lets the account pass through a folder that only root may enter, by the folder's group. It may neither list
 * nor change what is in it.
 */
export function letThrough(account: Account | undefined, folder: string): void {
  if (account === undefined) return
  const stats = statSync(folder)
  if (stats.uid !== 0 || (stats.mode & 0o077) !== 0) return
  chownSync(folder, 0, account.gid)
  chmodSync(folder, 0o710)
}

/**
 * The command that runs `program` as the account. If programs or data lie below folders that the account
 * cannot enter (`/root`, a checkout of mode 0700), it gets one capability: to read and search, or to override
 * if a container withholds that one or the program's own mode locks the account out. `no_setuid_fixup` makes
 * access(2) honour it, by which Postgres checks its own programs.
 */
export function launchAs(
  account: Account | undefined,
  program: string,
  args: readonly string[],
  paths: readonly string[],
  setpriv: string = findSetpriv(),
): Launch {
  if (account === undefined) return { file: program, args }
  const runs = permits(statSync(program), account, 0o1)
  const shut = paths.find((path) => !reaches(path, account))
  if (runs && shut === undefined) return { file: program, args, uid: account.uid, gid: account.gid }
  if (setpriv === '')
    throw new EmbeddedPostgresError(
      `Postgres does not run as root, and the user it runs as instead (uid ${account.uid}) may not enter ${shut ?? program}: install setpriv (package util-linux), start svc as an ordinary user, or move checkout and SVC_DATA_DIR where every user may enter`,
    )
  const capability = runs && mayUse(CAP_DAC_READ_SEARCH) ? '+dac_read_search' : '+dac_override'
  return {
    file: setpriv,
    args: [
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      `--inh-caps=${capability}`,
      `--ambient-caps=${capability}`,
      '--securebits=+no_setuid_fixup',
      '--',
      program,
      ...args,
    ],
  }
}

/** Whether the modes of all folders above the path let the account pass. */
function reaches(path: string, account: Account): boolean {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    const stats = statSync(folder)
    if (stats.isDirectory() && !permits(stats, account, 0o1)) return false
    if (stats.isFile() && !permits(stats, account, 0o4)) return false
    if (dirname(folder) === folder) return true
  }
}

/** Whether the mode grants the bits (of `rwx`) to the account. */
function permits(stats: Stats, account: Account, bits: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0
  return ((stats.mode >> shift) & bits) === bits
}

/** Path of `setpriv`, empty if it is not installed. */
function findSetpriv(): string {
  const places = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/local/bin/setpriv']
  return places.find((path) => statSync(path, { throwIfNoEntry: false }) !== undefined) ?? ''
}

const CAP_DAC_READ_SEARCH = 2

/** Whether this process holds a capability that it can pass on; default containers lack some. */
function mayUse(capability: number): boolean {
  try {
    const permitted = /^CapPrm:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
    return ((BigInt(`0x${permitted}`) >> BigInt(capability)) & 1n) === 1n
  } catch {
    // Without /proc nothing can be known; the start itself reports a failure.
    return false
  }
}
