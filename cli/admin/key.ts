import { type Command, Option } from 'commander'
import { SCOPES, type Scope } from '../../domain/key.js'
import {
  createKey,
  KEY_TYPES,
  type KeyType,
  listKeys,
  newId,
  revokeKey,
} from '../../postgres/tables/workspaces.js'
import { CommandError, EXIT } from '../command-error.js'
import { parseId, parseName, parseScopes } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import { resolveWorkspace, withAdminDatabase } from './with-database.js'

interface CreateOptions {
  readonly type: KeyType
  readonly name: string
  readonly scopes?: readonly Scope[]
  readonly person?: string
  readonly workspace?: string
  readonly json?: true
}

interface ListOptions {
  readonly workspace?: string
  readonly json?: true
}

export function addKeyCommands(admin: Command, terminal: Terminal): void {
  const key = admin.command('key').description('keys of a workspace')
  key
    .command('create')
    .description('make a key and show it, this once')
    .addOption(
      new Option('--type <type>', 'api: management API; server: event ingestion; publishable: browsers')
        .choices(KEY_TYPES)
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'what the key is for', parseName)
    .option(
      '--scopes <scopes>',
      'of an api key: what it may write, separated by commas (default: nothing)',
      parseScopes,
    )
    .option('--person <id>', 'whom it acts as (default: the owner)', parseId)
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { id, key, type, scopes, personId }')
    .addHelpText(
      'after',
      `\nScopes: ${SCOPES.join(', ')}. A key may do what its scopes and its person's permissions both allow.`,
    )
    .action(async (options: CreateOptions) => {
      if (options.scopes !== undefined && options.type !== 'api')
        throw new CommandError(EXIT.usage, `--scopes is for keys of type api: a ${options.type} key has none`)
      await withAdminDatabase(terminal, async (context) => {
        const workspaceId = await resolveWorkspace(context, options.workspace)
        const created = await createKey(context.sql, context.secretKey, {
          id: newId(),
          workspaceId,
          personId: options.person,
          type: options.type,
          name: options.name,
          scopes: options.scopes ?? [],
          now: context.now,
        })
        if (options.json) printJson(terminal, created)
        else {
          printRecord(terminal, { ...created })
          terminal.err('Keep the key now: it is stored as a hash only and cannot be shown again.\n')
        }
      })
    })
  key
    .command('list')
    .description('list the keys of a workspace, revoked ones too')
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option(
      '--json',
      'print { data: [{ id, name, type, platform, scopes, personId, last4, createdAt, lastUsedAt, revokedAt }] }',
    )
    .action((options: ListOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const keys = await listKeys(context.sql, await resolveWorkspace(context, options.workspace))
        if (options.json) printJson(terminal, { data: keys })
        else
          printTable(
            terminal,
            ['id', 'name', 'platform', 'scopes', 'person', 'last4', 'created', 'last used', 'revoked'],
            keys.map((each) => [
              each.id,
              each.name,
              each.platform,
              each.scopes,
              each.personId,
              each.last4,
              each.createdAt,
              each.lastUsedAt,
              each.revokedAt,
            ]),
          )
      }),
    )
  key
    .command('revoke')
    .description('revoke a key, at once and for good')
    .argument('<id>', 'id of the key', parseId)
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { id, revokedAt }')
    .action((id: string, options: ListOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const workspaceId = await resolveWorkspace(context, options.workspace)
        const { already, revokedAt } = await revokeKey(context.sql, { workspaceId, id, now: context.now })
        if (already)
          terminal.err(`The key had been revoked before, at ${revokedAt.toISOString()}: nothing changed.\n`)
        if (options.json) printJson(terminal, { id, revokedAt })
        else printRecord(terminal, { id, revokedAt })
      }),
    )
}
