import { BackupError } from '../../backup/manifest.js'
import { DomainError } from '../../management/domain-errors.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { toDatabaseError } from '../../postgres/driver/errors.js'
import { EmbeddedPostgresError } from '../../postgres/embedded/start.js'
import { auditByOperator } from '../../postgres/tables/audit-entries.js'
import { listWorkspaces, WorkspaceError } from '../../postgres/tables/workspaces.js'
import { type Config, ConfigError } from '../../runtime/config.js'
import { DataDirectoryError } from '../../runtime/data-directory.js'
import { ServiceError } from '../../runtime/errors.js'
import { MigrationError } from '../../runtime/migrations.js'
import { SecretKeyError } from '../../runtime/secret-key.js'
import { CommandError, refusedError, usageError } from '../command-error.js'
import { readAdminConfig } from '../config.js'
import { parseId } from '../option-parsers.js'
import { escapeControls, printJson, type Terminal } from '../output.js'
import { type AdminDatabase, openAdminDatabase } from './database.js'

export interface AdminOptions {
  readonly workspace?: string
  readonly json?: true
}

export const WORKSPACE_OPTION = ['--workspace <id>', 'workspace (default: the only one)', parseId] as const

export interface AdminContext extends AdminDatabase {
  readonly terminal: Terminal
  readonly now: Date
}

/** Opens the database, runs `work` and closes it. Throws CommandError for expected database errors. */
export function withAdminDatabase<Value>(
  terminal: Terminal,
  work: (context: AdminContext, config: Config) => Promise<Value>,
  duration: 'short' | 'long' = 'short',
): Promise<Value> {
  return withCommandErrors(async () => {
    const config = readAdminConfig()
    const database = await openAdminDatabase(config, duration)
    try {
      return await work({ ...database, terminal, now: new Date() }, config)
    } finally {
      await database.close()
    }
  })
}

/** Throws CommandError for expected errors. */
export async function withCommandErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw toCommandError(error)
  }
}

/** Runs `work` on the database and prints its value: as JSON with `--json`, with `print` otherwise. */
export function printFromDatabase<Value>(
  terminal: Terminal,
  { json }: AdminOptions,
  work: (context: AdminContext) => Promise<Value>,
  print: (value: Value) => void,
): Promise<void> {
  return withAdminDatabase(terminal, async (context) => {
    const value = await work(context)
    if (json) printJson(terminal, value)
    else print(value)
  })
}

interface Change<Value> {
  readonly result: Value
  /** Undefined if nothing changed. */
  readonly audit: { readonly resourceId: string; readonly summary: string } | undefined
}

/**
 * Changes something in the workspace of `--workspace`, audits it and prints the result.
 *
 * @param action `resource.verb`
 */
export function changeInWorkspace<Value>(
  terminal: Terminal,
  options: AdminOptions,
  action: string,
  work: (tx: Transaction, context: AdminContext & { readonly workspaceId: string }) => Promise<Change<Value>>,
  print: (value: Value) => void,
): Promise<void> {
  return printFromDatabase(
    terminal,
    options,
    async (context) => {
      const workspaceId = await resolveWorkspace(context, options.workspace)
      return changeAsOperator(context, workspaceId, action, (tx) => work(tx, { ...context, workspaceId }))
    },
    print,
  )
}

/** Changes something and writes the audit entry, in one transaction. @param action `resource.verb` */
export function changeAsOperator<Value>(
  { sql, now }: AdminContext,
  workspaceId: string,
  action: string,
  work: (tx: Transaction) => Promise<Change<Value>>,
): Promise<Value> {
  return sql.begin(async (tx) => {
    const { result, audit } = await work(tx)
    if (audit !== undefined) await auditByOperator(tx, now, workspaceId, { action, ...audit })
    return result
  }) as Promise<Value>
}

/** Audits what concerns the whole installation, in every workspace. */
export async function auditInAll(
  tx: Transaction,
  now: Date,
  entry: { readonly action: string; readonly resourceId: string; readonly summary: string },
): Promise<void> {
  for (const { id } of await listWorkspaces(tx)) await auditByOperator(tx, now, id, entry)
}

/** The workspace of `--workspace`, or the only one there is. */
export async function resolveWorkspace(context: AdminContext, id: string | undefined): Promise<string> {
  const workspaces = await listWorkspaces(context.sql)
  if (id !== undefined) {
    if (workspaces.some((workspace) => workspace.id === id)) return id
    throw refusedError(`there is no workspace ${id}: see svc admin workspace list`, 'UNKNOWN_WORKSPACE')
  }
  const [only, ...others] = workspaces
  if (only === undefined)
    throw refusedError(
      'there is no workspace yet: create one with svc admin workspace create --name NAME',
      'UNKNOWN_WORKSPACE',
    )
  if (others.length > 0)
    throw usageError(
      `there are ${workspaces.length} workspaces: say which one with --workspace ID\n${workspaces
        .map((workspace) => `  ${workspace.id}  ${escapeControls(workspace.name)}`)
        .join('\n')}`,
    )
  return only.id
}

/** Errors with a message for people. Any other error is a bug and keeps its stack trace. */
const EXPECTED_ERRORS = [
  BackupError,
  EmbeddedPostgresError,
  DataDirectoryError,
  MigrationError,
  SecretKeyError,
]

function toCommandError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandError) return error
  if (error.name === 'AbortError') return refusedError('interrupted')
  if (error instanceof WorkspaceError || error instanceof DomainError)
    return refusedError(error.message, error.code)
  if (error instanceof ConfigError) return usageError(error.message)
  if (EXPECTED_ERRORS.some((known) => error instanceof known)) return refusedError(error.message)
  // None of these messages contains the password.
  const failure = toDatabaseError(error)
  if (failure !== undefined)
    return refusedError(`Postgres: ${escapeControls(failure.message)}`, failure.sqlState)
  if (error instanceof ServiceError) return refusedError(escapeControls(error.message), error.code)
  return error
}
