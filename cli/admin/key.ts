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
import { usageError } from '../command-error.js'
import { parseId, parseName, parseScopes } from '../option-parsers.js'
import { printRecord, printRows, type Terminal } from '../output.js'
import { type AdminOptions, printFromDatabase, resolveWorkspace, WORKSPACE_OPTION } from './with-database.js'

interface CreateOptions extends AdminOptions {
  readonly type: KeyType
  readonly name: string
  readonly scopes?: readonly Scope[]
  readonly person?: string
}

const COLUMNS = [
  'id',
  'name',
  'platform',
  'scopes',
  'personId',
  'last4',
  'createdAt',
  'lastUsedAt',
  'revokedAt',
] as const

export function addKeyCommands(admin: Command, terminal: Terminal): void {
  const key = admin.command('key').description('keys of a workspace')
  key
    .command('create')
    .description('create a key and show it, only once')
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
    .option('--person <id>', 'the person it acts as (default: the owner)', parseId)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, key, type, scopes, personId }')
    .addHelpText(
      'after',
      `\nScopes: ${SCOPES.join(', ')}. A key may do what its scopes and its person's permissions both allow.`,
    )
    .action((options: CreateOptions) => create(terminal, options))
  key
    .command('list')
    .description('list the keys of a workspace, including revoked ones')
    .option(...WORKSPACE_OPTION)
    .option(
      '--json',
      'print { data: [{ id, name, type, platform, scopes, personId, last4, createdAt, lastUsedAt, revokedAt }] }',
    )
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => ({
          data: await listKeys(context.sql, await resolveWorkspace(context, options.workspace)),
        }),
        ({ data }) => printRows(terminal, data, COLUMNS),
      ),
    )
  key
    .command('revoke')
    .description('revoke a key, at once and for good')
    .argument('<id>', 'id of the key', parseId)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, revokedAt }')
    .action((id: string, options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => {
          const workspaceId = await resolveWorkspace(context, options.workspace)
          const { already, revokedAt } = await revokeKey(context.sql, { workspaceId, id, now: context.now })
          if (already)
            terminal.err(`The key was already revoked at ${revokedAt.toISOString()}: nothing changed.\n`)
          return { id, revokedAt }
        },
        (revoked) => printRecord(terminal, revoked),
      ),
    )
}

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { type, name, scopes, person } = options
  if (scopes !== undefined && type !== 'api')
    throw usageError(`--scopes is for keys of type api: a ${type} key has none`)
  await printFromDatabase(
    terminal,
    options,
    async (context) =>
      createKey(context.sql, context.secretKey, {
        id: newId(),
        workspaceId: await resolveWorkspace(context, options.workspace),
        personId: person,
        type,
        name,
        scopes: scopes ?? [],
        now: context.now,
      }),
    (created) => {
      printRecord(terminal, { ...created })
      terminal.err('Save the key now: only its hash is stored, so it cannot be shown again.\n')
    },
  )
}
