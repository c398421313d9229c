import type { Command } from 'commander'
import { addBackupCommands } from '../admin/backup.js'
import { addDeadLetterCommands } from '../admin/dead-letters.js'
import { addExportCommands } from '../admin/exports.js'
import { addImportCommands } from '../admin/import/command.js'
import { addKeyCommands } from '../admin/keys.js'
import { addLogCommands } from '../admin/log.js'
import { addPersonCommands } from '../admin/people.js'
import { addRepositoryCommands } from '../admin/repository.js'
import { addSecretCommands } from '../admin/secrets.js'
import { addWorkspaceCommands } from '../admin/workspaces.js'
import type { Context } from '../context.js'

/** Commands that work on the database, because a key cannot manage keys. */
export function defineAdmin(admin: Command, context: Context): void {
  const { terminal } = context
  admin.addHelpText(
    'after',
    `
Works on the database itself and needs no key: the embedded Postgres of SVC_DATA_DIR (./data), which is started for the length of
the command if svc is not running, or the server of SVC_POSTGRES_URL, together with SVC_SECRET_KEY.

Examples:
  svc admin key create --type server --name shop
  svc admin key create --type api --name ci --scopes experiments.manage,funnels.manage --json
  svc admin key rotate 019c2f4e-8a35-7f08-8e17-b2a95d6c3f40 --grace-hours 48
  svc admin person set 019c2f4e-8a35-7f08-8e17-b2a95d6c3f41 --permissions funnels.manage
  svc admin session create --expires 12h
  svc admin repository connect --local ../site --branch main
  svc admin quota set --daily-events 1000000
  svc admin dead-letters list --since 1d
  svc admin backup /backups/$(date +%F)`,
  )
  addWorkspaceCommands(admin, terminal)
  addPersonCommands(admin, terminal)
  addKeyCommands(admin, terminal)
  addRepositoryCommands(admin, terminal)
  addDeadLetterCommands(admin, terminal)
  addLogCommands(admin, terminal)
  addBackupCommands(admin, terminal)
  addImportCommands(admin, context)
  addExportCommands(admin, terminal)
  addSecretCommands(admin, terminal)
}
