import type { Command } from 'commander'
import { createSession, listSessions, newId, revokeSession } from '../../postgres/tables/workspaces.js'
import { parseDuration, parseId } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import { resolveWorkspace, withAdminDatabase } from './with-database.js'

const DEFAULT_EXPIRY = '30d'

interface CreateOptions {
  readonly person?: string
  readonly expires?: number
  readonly workspace?: string
  readonly json?: true
}

interface ListOptions {
  readonly workspace?: string
  readonly json?: true
}

export function addSessionCommands(admin: Command, terminal: Terminal): void {
  const session = admin
    .command('session')
    .description('session tokens: a person in the management API, with all that the person may do')
  session
    .command('create')
    .description('make a session token and show it, this once')
    .option('--person <id>', 'who it is (default: the owner)', parseId)
    .option(
      '--expires <duration>',
      `how long it lasts, as 30d, 12h or 90m (default: ${DEFAULT_EXPIRY})`,
      parseDuration,
    )
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { id, token, expiresAt }')
    .action((options: CreateOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const workspaceId = await resolveWorkspace(context, options.workspace)
        const lasts = options.expires ?? parseDuration(DEFAULT_EXPIRY)
        const created = await createSession(context.sql, context.secretKey, {
          id: newId(),
          workspaceId,
          personId: options.person,
          expiresAt: new Date(context.now.getTime() + lasts),
          now: context.now,
        })
        if (options.json) printJson(terminal, created)
        else {
          printRecord(terminal, { ...created })
          terminal.err('Keep the token now: it is stored as a hash only and cannot be shown again.\n')
        }
      }),
    )
  session
    .command('list')
    .description('list the sessions of a workspace, ended ones too')
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { data: [{ id, personId, last4, createdAt, expiresAt, revokedAt }] }')
    .action((options: ListOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const sessions = await listSessions(context.sql, await resolveWorkspace(context, options.workspace))
        if (options.json) printJson(terminal, { data: sessions })
        else
          printTable(
            terminal,
            ['id', 'person', 'last4', 'created', 'expires', 'revoked'],
            sessions.map((each) => [
              each.id,
              each.personId,
              each.last4,
              each.createdAt,
              each.expiresAt,
              each.revokedAt,
            ]),
          )
      }),
    )
  session
    .command('revoke')
    .description('end a session at once')
    .argument('<id>', 'id of the session', parseId)
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { id, revokedAt }')
    .action((id: string, options: ListOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const workspaceId = await resolveWorkspace(context, options.workspace)
        const { already, revokedAt } = await revokeSession(context.sql, { workspaceId, id, now: context.now })
        if (already)
          terminal.err(
            `The session had been revoked before, at ${revokedAt.toISOString()}: nothing changed.\n`,
          )
        if (options.json) printJson(terminal, { id, revokedAt })
        else printRecord(terminal, { id, revokedAt })
      }),
    )
}
