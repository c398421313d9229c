import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, giveTo, launchAs } from './account.js'
import type { PostgresBinaries } from './binaries.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { ENVIRONMENT, ROLE } from './settings.js'

/** Password of the role of svc, inside the cluster so that one rename creates both. */
export const PASSWORD_FILE = 'svc-password'

const UNFINISHED = 'initialising-'

/**
 * Creates `folder/cluster` if it is missing, under another name that is renamed when complete. After a crash
 * in between, the next start removes the rest and begins again.
 */
export async function initialise(
  binaries: PostgresBinaries,
  folder: string,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const cluster = join(folder, 'cluster')
  await clearUnfinished(folder)
  if (existsSync(cluster)) return
  const workshop = join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`)
  const unfinished = join(workshop, 'cluster')
  const passwordFile = join(workshop, 'password')
  mkdirSync(workshop, { mode: 0o700 })
  giveTo(account, workshop, false)
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: durable })
  giveTo(account, passwordFile, false)
  await runInitdb(binaries, unfinished, passwordFile, account, durable)
  renameSync(passwordFile, join(unfinished, PASSWORD_FILE))
  chmodSync(unfinished, 0o700)
  if (durable) flushFolder(unfinished)
  renameSync(unfinished, cluster)
  if (durable) flushFolder(folder)
  await clearUnfinished(folder)
}

async function clearUnfinished(folder: string): Promise<void> {
  for (const name of readdirSync(folder))
    if (name.startsWith(UNFINISHED))
      // Retried, because an initdb whose svc was killed may still be writing there.
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

function runInitdb(
  binaries: PostgresBinaries,
  cluster: string,
  passwordFile: string,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const args = [
    `--pgdata=${cluster}`,
    `--pwfile=${passwordFile}`,
    `--username=${ROLE}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]
  const { file, ...launch } = launchAs(account, binaries.initdb, args, [
    binaries.root,
    binaries.initdb,
    binaries.postgres,
    passwordFile,
  ])
  return new Promise((resolve, reject) => {
    const child = spawn(file, launch.args, {
      ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.gid }),
      env: ENVIRONMENT,
      cwd: '/',
      // Ctrl-C in the terminal is for svc to handle.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-4_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', (error) => reject(startFailure(error.message)))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(startFailure(`initdb ended with ${signal ?? `exit code ${code}`}\n${lastLines(output)}`))
    })
  })
}

function startFailure(reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`the embedded Postgres could not be initialised: ${reason}`)
}

export function lastLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-8)
    .map((line) => `  ${line}`)
    .join('\n')
}

function flushFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
