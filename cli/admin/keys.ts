import { type Command, Option } from 'commander'
import { EXPOSURES_SCOPE, type KeyScope, SCOPES } from '../../domain/key.js'
import { GRACE_HOURS, MAX_GRACE_HOURS, rotateKey } from '../../management/keys/index.js'
import {
  type CreatedKey,
  createKey,
  KEY_TYPES,
  type KeyType,
  listKeys,
  revokeKey,
} from '../../postgres/tables/keys.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { usageError } from '../command-error.js'
import { parseCount, parseDuration, parseId, parseKeyScopes, parseName } from '../option-parsers.js'
import { printRecord, type Terminal } from '../output.js'
import { addListCommand, addRevokeCommand } from './resource-commands.js'
import { type AdminOptions, changeInWorkspace, WORKSPACE_OPTION } from './with-database.js'

interface KeyOptions extends AdminOptions {
  readonly type: KeyType
  readonly name: string
  readonly scopes?: readonly KeyScope[]
  readonly person?: string
  readonly expires?: number
}

/** The group `key`. */
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
      'of an api key: what it may write, separated by commas (default: nothing); of a server key: exposures.send',
      parseKeyScopes,
    )
    .option('--person <id>', 'the person it acts as (default: the owner)', parseId)
    .option(
      '--expires <duration>',
      'how long it lasts, as 90d or 12h (default: until it is revoked)',
      parseDuration,
    )
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, key, type, scopes, personId }')
    .addHelpText(
      'after',
      `\nScopes: ${SCOPES.join(', ')}. A key may do what its scopes and its person's permissions both allow.
A server key with the scope ${EXPOSURES_SCOPE} sends exposures and nothing else: give it to the relay.`,
    )
    .action((options: KeyOptions) => printNewKey(terminal, options))
  addListCommand(key, terminal, {
    description: 'list the keys of a workspace, including revoked ones',
    fields:
      'id, name, type, platform, scopes, personId, personName, last4, createdAt, lastUsedAt, expiresAt, revokedAt',
    columns: [
      'id',
      'name',
      'platform',
      'scopes',
      'personId',
      'last4',
      'createdAt',
      'lastUsedAt',
      'expiresAt',
      'revokedAt',
    ],
    read: ({ sql }, workspaceId) => listKeys(sql, workspaceId),
    cells: (each) => each,
  })
  addRevokeCommand(key, terminal, 'revoke a key, at once and for good', 'key.delete', revokeKey)
  addRotateKey(key, terminal)
}

async function printNewKey(terminal: Terminal, options: KeyOptions): Promise<void> {
  const { type, name, scopes, person, expires } = options
  const wrong = scopes?.find((scope) => type !== (scope === EXPOSURES_SCOPE ? 'server' : 'api'))
  if (wrong !== undefined) throw usageError(`a key of type ${type} cannot have the scope ${wrong}`)
  await changeInWorkspace(
    terminal,
    options,
    'key.create',
    async (tx, { workspaceId, now, secretKey }) => {
      const expiresAt = expires === undefined ? undefined : new Date(now.getTime() + expires)
      const id = newId()
      const fields = { id, workspaceId, personId: person, type, name, scopes: scopes ?? [], expiresAt, now }
      return {
        result: await createKey(tx, secretKey, fields),
        audit: { resourceId: id, summary: `Created the key ${JSON.stringify(name)}` },
      }
    },
    (created) => printKey(terminal, created),
  )
}

function printKey(terminal: Terminal, key: CreatedKey): void {
  printRecord(terminal, { ...key })
  terminal.err('Save the key now: only its hash is stored, so it cannot be shown again.\n')
}

interface RotateOptions extends AdminOptions {
  readonly graceHours: number
}

function addRotateKey(key: Command, terminal: Terminal): void {
  key
    .command('rotate')
    .description('make a key that takes the place of another, and show it, only once')
    .argument('<id>', 'id of the key', parseId)
    .option('--grace-hours <n>', 'how long the old key goes on', parseCount(0, MAX_GRACE_HOURS), GRACE_HOURS)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, key, type, scopes, personId }')
    .action((old: string, options: RotateOptions) =>
      changeInWorkspace(
        terminal,
        options,
        'key.rotate',
        async (tx, { workspaceId, secretKey, now }) => {
          const { graceHours } = options
          const issuer = { secretKey, newId, now: () => now.getTime() }
          const made = await rotateKey(tx, issuer, { workspaceId, id: old, graceHours })
          const { id, key, type, scopes, personId, name } = made
          const summary = `Rotated the key ${JSON.stringify(name)}: ${id} takes its place`
          return { result: { id, key, type, scopes, personId }, audit: { resourceId: old, summary } }
        },
        (made) => printKey(terminal, made),
      ),
    )
}
