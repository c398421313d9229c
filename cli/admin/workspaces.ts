import type { Command } from 'commander'
import { EXPOSURES_SCOPE } from '../../domain/key.js'
import {
  findRetention,
  MIN_RETENTION_DAYS,
  type Retention,
  setRetention,
} from '../../postgres/tables/retention.js'
import { createSession, listSessions, revokeSession } from '../../postgres/tables/sessions.js'
import {
  createWorkspace,
  findQuota,
  listWorkspaces,
  newId,
  type Quota,
  setQuota,
} from '../../postgres/tables/workspaces.js'
import { usageError } from '../command-error.js'
import { type Limit, parseDuration, parseEmail, parseId, parseLimit, parseName } from '../option-parsers.js'
import { printRecord, printRows, type Terminal } from '../output.js'
import { addListCommand, addRevokeCommand } from './resource-commands.js'
import {
  type AdminOptions,
  changeAsOperator,
  changeInWorkspace,
  printFromDatabase,
  resolveWorkspace,
  WORKSPACE_OPTION,
} from './with-database.js'

/** The groups `workspace`, `session`, `quota` and `retention`. */
export function addWorkspaceCommands(admin: Command, terminal: Terminal): void {
  for (const add of [addWorkspaces, addSessions, addQuotas, addRetention]) add(admin, terminal)
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
        (context) => {
          const { name, ownerName, ownerEmail } = options
          const workspace = { id: newId(), name, personId: newId(), ownerName, ownerEmail, now: context.now }
          return changeAsOperator(context, workspace.id, 'workspace.create', async (tx) => ({
            result: await createWorkspace(tx, workspace),
            audit: {
              resourceId: workspace.id,
              summary: `Created the workspace ${JSON.stringify(name)}`,
            },
          }))
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
      changeInWorkspace(
        terminal,
        options,
        'session.create',
        async (tx, { workspaceId, now, secretKey }) => {
          const expiresAt = new Date(now.getTime() + (options.expires ?? parseDuration(DEFAULT_EXPIRY)))
          const session = { id: newId(), workspaceId, personId: options.person, expiresAt, now }
          const summary = `Created a session token that ends at ${expiresAt.toISOString()}`
          return {
            result: await createSession(tx, secretKey, session),
            audit: { resourceId: session.id, summary },
          }
        },
        (created) => {
          printRecord(terminal, { ...created })
          terminal.err('Save the token now: only its hash is stored, so it cannot be shown again.\n')
        },
      ),
    )
  addListCommand(session, terminal, {
    description: 'list the sessions of a workspace, including ended ones',
    fields: 'id, personId, last4, createdAt, lastUsedAt, expiresAt, revokedAt',
    columns: ['id', 'personId', 'last4', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt'],
    read: ({ sql }, workspaceId) => listSessions(sql, workspaceId),
    cells: (each) => each,
  })
  addRevokeCommand(session, terminal, 'end a session at once', 'session.delete', revokeSession)
}

const MAX_DAILY = 1_000_000_000_000_000
const MAX_A_SECOND = 2_000_000_000

interface QuotaOptions extends AdminOptions {
  readonly dailyEvents?: Limit
  readonly dailyExposures?: Limit
  readonly requestsPerSecond?: Limit
  readonly eventsPerSecond?: Limit
}

const MAX_RETENTION_DAYS = 36_500

const QUOTA_FIELDS =
  '{ workspaceId, dailyEvents, dailyExposures, requestsPerSecond, eventsPerSecond }; null: no cap, or the default'

function addQuotas(admin: Command, terminal: Terminal): void {
  const quota = admin.command('quota').description('what a workspace may send')
  quota
    .command('show')
    .description('show the limits of a workspace')
    .option(...WORKSPACE_OPTION)
    .option('--json', `print ${QUOTA_FIELDS}`)
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => findQuota(context.sql, await resolveWorkspace(context, options.workspace)),
        (found) => printQuota(terminal, found),
      ),
    )
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
    .option('--json', `print ${QUOTA_FIELDS}`)
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
      await changeInWorkspace(
        terminal,
        options,
        'quota.set',
        async (tx, { workspaceId }) => {
          const limits = named.map(([name, value]) => `${name} ${value ?? 'none'}`).join(', ')
          return {
            result: await setQuota(tx, { workspaceId, ...Object.fromEntries(named) }),
            audit: { resourceId: workspaceId, summary: `Set limits of the workspace: ${limits}` },
          }
        },
        (changed) => printQuota(terminal, changed),
      )
    })
}

function printQuota(terminal: Terminal, quota: Quota): void {
  printRecord(terminal, {
    workspaceId: quota.workspaceId,
    dailyEvents: quota.dailyEvents ?? 'none',
    dailyExposures: quota.dailyExposures ?? 'none',
    requestsPerSecond: quota.requestsPerSecond ?? 'default',
    eventsPerSecond: quota.eventsPerSecond ?? 'default',
  })
}

interface RetentionOptions extends AdminOptions {
  readonly days: Limit
}

const RETENTION_FIELDS = '{ workspaceId, days, removedBefore }; null: forever, and none removed'

function addRetention(admin: Command, terminal: Terminal): void {
  const retention = admin.command('retention').description('how long a workspace keeps its events')
  const print = (found: Retention): void =>
    printRecord(terminal, {
      workspaceId: found.workspaceId,
      days: found.days ?? 'none',
      removedBefore: found.removedBefore?.toISOString() ?? 'none',
    })
  retention
    .command('show')
    .description('show how long a workspace keeps its events')
    .option(...WORKSPACE_OPTION)
    .option('--json', `print ${RETENTION_FIELDS}`)
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => findRetention(context.sql, await resolveWorkspace(context, options.workspace)),
        print,
      ),
    )
  retention
    .command('set')
    .description('remove older events, within a day and then every day')
    .requiredOption(
      '--days <n>',
      `days that events are kept, at least ${MIN_RETENTION_DAYS}, or none for forever`,
      parseLimit(MIN_RETENTION_DAYS, MAX_RETENTION_DAYS, 'none'),
    )
    .option(...WORKSPACE_OPTION)
    .option('--json', `print ${RETENTION_FIELDS}`)
    .action((options: RetentionOptions) =>
      changeInWorkspace(
        terminal,
        options,
        'retention.set',
        async (tx, { workspaceId }) => {
          const days = options.days.limit
          const text = days === null ? 'forever' : `${days} days`
          return {
            result: await setRetention(tx, workspaceId, days),
            audit: { resourceId: workspaceId, summary: `Set how long events are kept: ${text}` },
          }
        },
        print,
      ),
    )
}
