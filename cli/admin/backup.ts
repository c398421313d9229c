import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { createBackup } from '../../backup/create.js'
import type { BackupManifest } from '../../backup/manifest.js'
import { restoreBackup } from '../../backup/restore.js'
import type { Verification } from '../../backup/verify.js'
import { verifyConfigured } from '../../backup/verify-configured.js'
import type { Config } from '../../runtime/config.js'
import { refusedError, usageError } from '../command-error.js'
import { readAdminConfig } from '../config.js'
import { printJson, printRecord, type Terminal } from '../output.js'
import { type AdminContext, withAdminDatabase, withCommandErrors } from './with-database.js'

const ATTEMPTS = 5
const PAUSE_MS = 1_000

interface BackupCommandOptions {
  readonly json?: true
}

const FIELDS =
  '{ path, version, createdAt, files, bytes, events: { acknowledged, stored, duplicates, deadLetters, waiting } }'

export function addBackupCommands(admin: Command, terminal: Terminal): void {
  admin
    .command('backup')
    .description('write a backup of the embedded stores into a new folder, while svc runs or not')
    .argument('<folder>', 'the backup: a folder that does not exist')
    .option('--json', `print ${FIELDS}`)
    .addHelpText(
      'after',
      `
Everything acknowledged before the command began is in the backup, and events are accepted all the time. The folder holds the secret key: keep it as safe
as the data directory. Kafka, Postgres and ClickHouse of your own are backed up with their own tools: docs/operate/backup.md.`,
    )
    .action((folder: string, options: BackupCommandOptions) => backUp(terminal, folder, options))
  admin
    .command('restore')
    .description('restore a backup into an empty SVC_DATA_DIR, whole or not at all')
    .argument('<folder>', 'the backup')
    .option('--json', `print ${FIELDS}`)
    .action((folder: string, options: BackupCommandOptions) => restore(terminal, folder, options))
  admin
    .command('verify')
    .description('compare what was acknowledged, stored and counted; exit code 1 with the first difference')
    .option(
      '--json',
      'print { ok, events: { acknowledged, stored, duplicates, deadLetters, waiting }, checks: [{ check, expected, found, ok }], difference }',
    )
    .action((options: BackupCommandOptions) => verify(terminal, options))
}

async function backUp(terminal: Terminal, folder: string, options: BackupCommandOptions): Promise<void> {
  const manifest = await withAdminDatabase(
    terminal,
    async ({ sql }, config) => {
      refuseServers(config)
      return await createBackup({
        sql,
        dataDir: config.dataDir,
        target: folder,
        secretKey: config.secretKey === undefined ? 'file' : 'environment',
        now: new Date(),
        report: (text) => terminal.err(`${text}\n`),
      })
    },
    'long',
  )
  printManifest(terminal, folder, manifest, options)
}

async function restore(terminal: Terminal, folder: string, options: BackupCommandOptions): Promise<void> {
  const manifest = await withCommandErrors(async () => {
    const config = readAdminConfig()
    refuseServers(config)
    return await restoreBackup({
      source: folder,
      dataDir: config.dataDir,
      report: (text) => terminal.err(`${text}\n`),
    })
  })
  printManifest(terminal, folder, manifest, options)
}

/** Stores of one moment can only be copied together if all are embedded. */
function refuseServers({ postgresUrl, clickhouseUrl, kafka }: Config): void {
  const variable =
    (postgresUrl !== undefined && 'SVC_POSTGRES_URL') ||
    (clickhouseUrl !== undefined && 'SVC_CLICKHOUSE_URL') ||
    (kafka !== undefined && 'SVC_KAFKA_BROKERS')
  if (variable)
    throw usageError(
      `${variable} is set, and this command works on embedded stores only: docs/operate/backup.md has the steps for servers`,
    )
}

async function verify(terminal: Terminal, { json }: BackupCommandOptions): Promise<void> {
  const verification = await withAdminDatabase(terminal, verifyAgain, 'long')
  const { events, checks, difference } = verification
  if (json) printJson(terminal, { ok: difference === null, ...verification })
  else
    printRecord(terminal, {
      'events acknowledged': events.acknowledged,
      stored: events.stored,
      duplicates: events.duplicates,
      'dead letters': events.deadLetters,
      waiting: events.waiting,
      'checks passed': `${checks.filter(({ ok }) => ok).length} of ${checks.length}`,
    })
  if (difference !== null) throw refusedError(difference, 'DIFFERENCE')
}

/** While events are being stored, a count may be ahead of another one for a moment. */
async function verifyAgain({ sql, startedHere }: AdminContext, config: Config): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    const verification = await verifyConfigured(sql, config)
    if (verification.difference === null || startedHere || attempt === ATTEMPTS) return verification
    await delay(PAUSE_MS)
  }
}

function printManifest(
  terminal: Terminal,
  folder: string,
  { svc, createdAt, files, events, secretKey }: BackupManifest,
  { json }: BackupCommandOptions,
): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const path = resolve(folder)
  if (json) printJson(terminal, { path, version: svc, createdAt, files: files.length, bytes, events })
  else
    printRecord(terminal, {
      path,
      version: svc,
      created: new Date(createdAt),
      files: files.length,
      bytes,
      'events acknowledged': events.acknowledged,
      stored: events.stored,
      duplicates: events.duplicates,
      'dead letters': events.deadLetters,
      waiting: events.waiting,
    })
  if (secretKey === 'environment')
    terminal.err(
      'SVC_SECRET_KEY is not part of the backup: keep it too, because every stored key depends on it.\n',
    )
}
