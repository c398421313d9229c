import type { Command } from 'commander'
import { createSession, listSessions, newId, revokeSession } from '../../postgres/tables/workspaces.js'
import { parseDuration, parseId } from '../option-parsers.js'
import { printRecord, printRows, type Terminal } from '../output.js'
import { type AdminOptions, printFromDatabase, resolveWorkspace, WORKSPACE_OPTION } from './with-database.js'

const DEFAULT_EXPIRY = '30d'

interface CreateOptions extends AdminOptions {
  readonly person?: string
  readonly expires?: number
}

export function addSessionCommands(admin: Command, terminal: Terminal): void {
  const session = admin
    .command('session')
    .description('session tokens: a person in the management API, with all that the person may do')
  session
    .command('create')
    .description('create a session token and show it, only once')
    .option('--person <id>', 'the person (default: the owner)', parseId)
    .option(
      '--expires <duration>',
      `how long it lasts, as 30d, 12h or 90m (default: ${DEFAULT_EXPIRY})`,
      parseDuration,
    )
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, token, expiresAt }')
    .action((options: CreateOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) =>
          createSession(context.sql, context.secretKey, {
            id: newId(),
            workspaceId: await resolveWorkspace(context, options.workspace),
            personId: options.person,
            expiresAt: new Date(context.now.getTime() + (options.expires ?? parseDuration(DEFAULT_EXPIRY))),
            now: context.now,
          }),
        (created) => {
          printRecord(terminal, { ...created })
          terminal.err('Save the token now: only its hash is stored, so it cannot be shown again.\n')
        },
      ),
    )
  session
    .command('list')
    .description('list the sessions of a workspace, including ended ones')
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { data: [{ id, personId, last4, createdAt, expiresAt, revokedAt }] }')
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => ({
          data: await listSessions(context.sql, await resolveWorkspace(context, options.workspace)),
        }),
        ({ data }) =>
          printRows(terminal, data, ['id', 'personId', 'last4', 'createdAt', 'expiresAt', 'revokedAt']),
      ),
    )
  session
    .command('revoke')
    .description('end a session at once')
    .argument('<id>', 'id of the session', parseId)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, revokedAt }')
    .action((id: string, options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => {
          const workspaceId = await resolveWorkspace(context, options.workspace)
          const { already, revokedAt } = await revokeSession(context.sql, {
            workspaceId,
            id,
            now: context.now,
          })
          if (already)
            terminal.err(`The session was already revoked at ${revokedAt.toISOString()}: nothing changed.\n`)
          return { id, revokedAt }
        },
        (revoked) => printRecord(terminal, revoked),
      ),
    )
}
