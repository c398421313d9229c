import { type Command, Option } from 'commander'
import { EXPOSURES_SCOPE, type KeyScope, SCOPES, type Scope } from '../../domain/key.js'
import { auditByOperator } from '../../postgres/tables/audit-entries.js'
import { createKey, KEY_TYPES, type KeyType, listKeys, revokeKey } from '../../postgres/tables/keys.js'
import {
  createPerson,
  createSession,
  createWorkspace,
  listPeople,
  listSessions,
  listWorkspaces,
  newId,
  revokeSession,
  setQuota,
} from '../../postgres/tables/workspaces.js'
import { usageError } from '../command-error.js'
import {
  type Limit,
  parseDuration,
  parseEmail,
  parseId,
  parseKeyScopes,
  parseLimit,
  parseName,
  parseScopes,
} from '../option-parsers.js'
import { type Cell, printRecord, printRows, type Terminal } from '../output.js'
import {
  type AdminContext,
  type AdminOptions,
  printFromDatabase,
  resolveWorkspace,
  WORKSPACE_OPTION,
} from './with-database.js'

/** The groups `workspace`, `person`, `key`, `session` and `quota`. */
export function addWorkspaceCommands(admin: Command, terminal: Terminal): void {
  for (const add of [addWorkspaces, addPeople, addKeys, addSessions, addQuotas]) add(admin, terminal)
}

interface WorkspaceOptions extends AdminOptions {
  readonly name: string
  readonly ownerName: string
  readonly ownerEmail: string
}

function addWorkspaces(admin: Command, terminal: Terminal): void {
  const workspace = admin.command('workspace').description('workspaces, each with an owner')
  workspace
    .command('create')
    .description('create a workspace and the person who owns it')
    .requiredOption('--name <name>', 'name of the workspace', parseName)
    .option('--owner-name <name>', 'name of its owner', parseName, 'Owner')
    .option('--owner-email <email>', 'email of its owner', parseEmail, 'owner@localhost')
    .option('--json', 'print { id, name, personId }')
    .action((options: WorkspaceOptions) =>
      printFromDatabase(
        terminal,
        options,
        ({ sql, now }) => {
          const { name, ownerName, ownerEmail } = options
          const id = newId()
          return sql.begin(async (tx) => {
            const created = await createWorkspace(tx, {
              id,
              name,
              personId: newId(),
              ownerName,
              ownerEmail,
              now,
            })
            await auditByOperator(tx, now, id, {
              action: 'workspace.create',
              resourceId: id,
              summary: `Created the workspace ${JSON.stringify(name)}`,
            })
            return created
          })
        },
        (created) => printRecord(terminal, { ...created }),
      ),
    )
  workspace
    .command('list')
    .description('list all workspaces with their owners')
    .option('--json', 'print { data: [{ id, name, personId }] }')
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async ({ sql }) => ({ data: await listWorkspaces(sql) }),
        ({ data }) =>
          printRows(
            terminal,
            data.map(({ personId, ...each }) => ({ ...each, owner: personId })),
            ['id', 'name', 'owner'],
          ),
      ),
    )
}

interface PersonOptions extends AdminOptions {
  readonly name: string
  readonly email: string
  readonly permissions?: readonly Scope[]
}

function addPeople(admin: Command, terminal: Terminal): void {
  const person = admin
    .command('person')
    .description('people of a workspace: keys and sessions act as one of them')
  person
    .command('create')
    .description('add a person')
    .requiredOption('--name <name>', 'name of the person', parseName)
    .requiredOption('--email <email>', 'email of the person, unique in the workspace', parseEmail)
    .option(
      '--permissions <scopes>',
      'what the person may write, scopes separated by commas (default: nothing)',
      parseScopes,
    )
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id }')
    .action((options: PersonOptions) => {
      const { name, email, permissions = [] } = options
      return printFromDatabase(
        terminal,
        options,
        async (context) => {
          const workspaceId = await resolveWorkspace(context, options.workspace)
          const { sql, now } = context
          return createPerson(sql, { id: newId(), workspaceId, name, email, permissions, now })
        },
        (created) => printRecord(terminal, { ...created, name, email, permissions }),
      )
    })
  addListCommand(person, terminal, {
    description: 'list the people of a workspace',
    fields: 'id, name, email, owner, permissions, createdAt, invitationExpiresAt',
    columns: ['id', 'name', 'email', 'permissions', 'createdAt'],
    read: ({ sql }, workspaceId) => listPeople(sql, workspaceId),
    cells: (each) => ({ ...each, permissions: each.owner ? 'owner' : each.permissions }),
  })
}

interface KeyOptions extends AdminOptions {
  readonly type: KeyType
  readonly name: string
  readonly scopes?: readonly KeyScope[]
  readonly person?: string
}

function addKeys(admin: Command, terminal: Terminal): void {
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
  addRevokeCommand(key, terminal, 'revoke a key, at once and for good', revokeKey)
}

async function printNewKey(terminal: Terminal, options: KeyOptions): Promise<void> {
  const { type, name, scopes, person } = options
  const wrong = scopes?.find((scope) => type !== (scope === EXPOSURES_SCOPE ? 'server' : 'api'))
  if (wrong !== undefined) throw usageError(`a key of type ${type} cannot have the scope ${wrong}`)
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

const DEFAULT_EXPIRY = '30d'

interface SessionOptions extends AdminOptions {
  readonly person?: string
  readonly expires?: number
}

function addSessions(admin: Command, terminal: Terminal): void {
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
    .action((options: SessionOptions) =>
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
  addListCommand(session, terminal, {
    description: 'list the sessions of a workspace, including ended ones',
    fields: 'id, personId, last4, createdAt, expiresAt, revokedAt',
    columns: ['id', 'personId', 'last4', 'createdAt', 'expiresAt', 'revokedAt'],
    read: ({ sql }, workspaceId) => listSessions(sql, workspaceId),
    cells: (each) => each,
  })
  addRevokeCommand(session, terminal, 'end a session at once', revokeSession)
}

const MAX_DAILY = 1_000_000_000_000_000
const MAX_A_SECOND = 2_000_000_000

interface QuotaOptions extends AdminOptions {
  readonly dailyEvents?: Limit
  readonly dailyExposures?: Limit
  readonly requestsPerSecond?: Limit
  readonly eventsPerSecond?: Limit
}

function addQuotas(admin: Command, terminal: Terminal): void {
  const quota = admin.command('quota').description('what a workspace may send')
  quota
    .command('set')
    .description('change the limits that are named and leave the others')
    .option('--daily-events <n>', 'events a UTC day, or none for no cap', parseLimit(0, MAX_DAILY, 'none'))
    .option(
      '--daily-exposures <n>',
      `exposures a UTC day of keys with ${EXPOSURES_SCOPE}, or none for no cap`,
      parseLimit(0, MAX_DAILY, 'none'),
    )
    .option(
      '--requests-per-second <n>',
      'of each server key, or default',
      parseLimit(1, MAX_A_SECOND, 'default'),
    )
    .option(
      '--events-per-second <n>',
      'of each server key, or default',
      parseLimit(1, MAX_A_SECOND, 'default'),
    )
    .option(...WORKSPACE_OPTION)
    .option(
      '--json',
      'print { workspaceId, dailyEvents, dailyExposures, requestsPerSecond, eventsPerSecond }; null: no cap, or the default',
    )
    .action(async (options: QuotaOptions) => {
      const { dailyEvents, dailyExposures, requestsPerSecond, eventsPerSecond } = options
      const limits = { dailyEvents, dailyExposures, requestsPerSecond, eventsPerSecond }
      const named = Object.entries(limits).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value.limit] as const],
      )
      if (named.length === 0)
        throw usageError(
          'name at least one limit: --daily-events, --daily-exposures, --requests-per-second or --events-per-second',
        )
      await printFromDatabase(
        terminal,
        options,
        async (context) => {
          const workspaceId = await resolveWorkspace(context, options.workspace)
          return context.sql.begin(async (tx) => {
            const quota = await setQuota(tx, { workspaceId, ...Object.fromEntries(named) })
            await auditByOperator(tx, context.now, workspaceId, {
              action: 'quota.set',
              resourceId: workspaceId,
              summary: `Set limits of the workspace: ${named.map(([name, value]) => `${name} ${value ?? 'none'}`).join(', ')}`,
            })
            return quota
          })
        },
        (quota) =>
          printRecord(terminal, {
            workspaceId: quota.workspaceId,
            dailyEvents: quota.dailyEvents ?? 'none',
            dailyExposures: quota.dailyExposures ?? 'none',
            requestsPerSecond: quota.requestsPerSecond ?? 'default',
            eventsPerSecond: quota.eventsPerSecond ?? 'default',
          }),
      )
    })
}

/** Adds `list`: the rows of the workspace, as JSON whole and in a table with these columns. */
function addListCommand<Row, Key extends string>(
  parent: Command,
  terminal: Terminal,
  list: {
    readonly description: string
    readonly fields: string
    readonly columns: readonly Key[]
    readonly read: (context: AdminContext, workspaceId: string) => Promise<readonly Row[]>
    readonly cells: (row: Row) => Readonly<Record<Key, Cell>>
  },
): void {
  parent
    .command('list')
    .description(list.description)
    .option(...WORKSPACE_OPTION)
    .option('--json', `print { data: [{ ${list.fields} }] }`)
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => ({
          data: await list.read(context, await resolveWorkspace(context, options.workspace)),
        }),
        ({ data }) => printRows(terminal, data.map(list.cells), list.columns),
      ),
    )
}

/** Adds `revoke` of a key or a session, which says if it was revoked before. */
function addRevokeCommand(
  parent: Command,
  terminal: Terminal,
  description: string,
  revoke: (
    sql: AdminContext['sql'],
    what: { readonly workspaceId: string; readonly id: string; readonly now: Date },
  ) => Promise<{ readonly already: boolean; readonly revokedAt: Date }>,
): void {
  const noun = parent.name()
  parent
    .command('revoke')
    .description(description)
    .argument('<id>', `id of the ${noun}`, parseId)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id, revokedAt }')
    .action((id: string, options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => {
          const workspaceId = await resolveWorkspace(context, options.workspace)
          const { already, revokedAt } = await revoke(context.sql, { workspaceId, id, now: context.now })
          if (already)
            terminal.err(`The ${noun} was already revoked at ${revokedAt.toISOString()}: nothing changed.\n`)
          return { id, revokedAt }
        },
        (revoked) => printRecord(terminal, revoked),
      ),
    )
}
