import type { Command } from 'commander'
import { resealHooks } from '../../management/hooks/index.js'
import { openSecretKey, writeHashingKey } from '../../postgres/tables/hashing-key.js'
import { resealRepositories } from '../../postgres/tables/repositories.js'
import type { Config } from '../../runtime/config.js'
import { nextSecretKeys, type SecretKey, useNextSecretKey } from '../../runtime/secret-key.js'
import { refusedError, usageError } from '../command-error.js'
import { printJson, printRecord, type Terminal } from '../output.js'
import { type AdminContext, type AdminOptions, auditInAll, withAdminDatabase } from './with-database.js'

/** The resource of audit entries: there is one key. */
const SECRET_KEY = 'SVC_SECRET_KEY'

export function addSecretCommands(admin: Command, terminal: Terminal): void {
  admin
    .command('secrets')
    .description('the secrets that are stored encrypted: repository tokens, secrets of webhooks')
    .command('rotate')
    .description('encrypt all stored secrets under a new key')
    .option('--json', 'print { repositories, hooks }')
    .addHelpText(
      'after',
      `
With SVC_SECRET_KEY: restart all stages with the new key in it and the one before in SVC_SECRET_KEY_PREVIOUS, run this with both, and remove the previous
one a day later. Without it, stop svc: the key in the data directory is replaced. API keys, sessions and events stay as they are. All of it happens or
none; repeat the command if it was cut off.`,
    )
    .action(async ({ json }: AdminOptions) => {
      const rotated = await withAdminDatabase(terminal, rotate)
      if (json) printJson(terminal, rotated)
      else printRecord(terminal, { 'repository secrets': rotated.repositories, webhooks: rotated.hooks })
    })
}

async function rotate(context: AdminContext, config: Config) {
  const { sql, startedHere } = context
  if (config.secretKey !== undefined) {
    if (config.previousSecretKey === undefined)
      throw usageError('set SVC_SECRET_KEY to the new key and SVC_SECRET_KEY_PREVIOUS to the one before')
    return await rotateTo(context, context.secretKey)
  }
  if (!startedHere)
    throw refusedError('svc is running: stop it, because it knows only the key of its start', 'RUNNING')
  const rotated = await rotateTo(context, await openSecretKey(sql, nextSecretKeys(config.dataDir)))
  useNextSecretKey(config.dataDir)
  return rotated
}

/** One transaction, so a rotation that is cut off has changed nothing, or everything. */
function rotateTo({ sql, now }: AdminContext, secretKey: SecretKey) {
  return sql.begin(async (tx) => {
    await writeHashingKey(tx, secretKey)
    const repositories = await resealRepositories(tx, secretKey)
    const hooks = await resealHooks(tx, secretKey)
    await auditInAll(tx, now, {
      action: 'secret_key.rotate',
      resourceId: SECRET_KEY,
      summary: 'Encrypted the stored secrets under a new key',
    })
    return { repositories, hooks }
  })
}
