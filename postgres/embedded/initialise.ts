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
import { giveTo, launchAs } from './account.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { failureOf, type Installation, spawnAs } from './installation.js'
import { ROLE } from './settings.js'

/** Password of the role of svc, inside the cluster so that one rename creates both. */
export const PASSWORD_FILE = 'svc-password'

const UNFINISHED = 'initialising-'

/**
 * Creates `folder/cluster` if it is missing, under another name that is renamed when complete. After a crash
 * in between, the next start removes the rest and begins again.
 */
export async function initialise(installation: Installation): Promise<void> {
  const { folder, cluster, account, durable } = installation
  await clearUnfinished(folder)
  if (existsSync(cluster)) return
  const workshop = join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`)
  const unfinished = join(workshop, 'cluster')
  const passwordFile = join(workshop, 'password')
  mkdirSync(workshop, { mode: 0o700 })
  giveTo(account, workshop, false)
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: durable })
  giveTo(account, passwordFile, false)
  await runInitdb(installation, unfinished, passwordFile)
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

async function runInitdb(
  { binaries, account, durable }: Installation,
  cluster: string,
  passwordFile: string,
): Promise<void> {
  const { root, initdb, postgres } = binaries
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
  const launch = launchAs(account, initdb, args, [root, initdb, postgres, passwordFile])
  const failure = await failureOf(spawnAs(launch, ['ignore', 'pipe', 'pipe']))
  if (failure === undefined) return
  if (/could not look up effective user ID/.test(failure.output))
    throw new EmbeddedPostgresError(
      `the embedded Postgres needs a name for the user with uid ${process.getuid?.()}: add an entry to /etc/passwd, start svc as another user, or use a server (SVC_POSTGRES_URL)`,
    )
  throw new EmbeddedPostgresError(
    `the embedded Postgres could not be initialised: initdb ${failure.end}\n${lastLines(failure.output)}`,
  )
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
