import { EmbeddedPostgresError } from '../../postgres/embedded/start.js'
import { postgresFailureOf } from '../../postgres/failure.js'
import { listWorkspaces, WorkspaceRefusal } from '../../postgres/tables/workspaces.js'
import { ConfigError } from '../../runtime/config.js'
import { DataDirectoryError } from '../../runtime/data-directory.js'
import { MigrationRefused } from '../../runtime/migrations.js'
import { SecretKeyError } from '../../runtime/secret.js'
import { readAdminConfig } from '../config.js'
import { CommandFailure, EXIT } from '../failure.js'
import { printable, type Terminal } from '../output.js'
import { type AdminDatabase, openAdminDatabase } from './database.js'

/** What an admin command works with. */
export interface AdminContext extends AdminDatabase {
  readonly terminal: Terminal
  readonly now: Date
}

/** Opens the database for one command and closes it whatever happens. Throws CommandFailure for what the database refuses. */
export async function administer(
  terminal: Terminal,
  work: (context: AdminContext) => Promise<void>,
): Promise<void> {
  try {
    const database = await openAdminDatabase(readAdminConfig())
    try {
      await work({ ...database, terminal, now: new Date() })
    } finally {
      await database.close()
    }
  } catch (error) {
    throw asFailure(error)
  }
}

/** The workspace of `--workspace`, else the only one there is. */
export async function chooseWorkspace(context: AdminContext, id: string | undefined): Promise<string> {
  const workspaces = await listWorkspaces(context.sql)
  if (id !== undefined) {
    if (workspaces.some((workspace) => workspace.id === id)) return id
    throw new CommandFailure(
      EXIT.refused,
      `there is no workspace ${id}: see svc admin workspace list`,
      'UNKNOWN_WORKSPACE',
    )
  }
  const [only, ...others] = workspaces
  if (only === undefined)
    throw new CommandFailure(
      EXIT.refused,
      'there is no workspace yet: make one with svc admin workspace create --name NAME',
      'UNKNOWN_WORKSPACE',
    )
  if (others.length > 0)
    throw new CommandFailure(
      EXIT.usage,
      `there are ${workspaces.length} workspaces: say which one with --workspace ID\n${workspaces
        .map((workspace) => `  ${workspace.id}  ${printable(workspace.name)}`)
        .join('\n')}`,
    )
  return only.id
}

/** Errors that have a line of their own to say; anything else is a fault of this program and keeps its trace. */
const SPEAKING = [EmbeddedPostgresError, DataDirectoryError, MigrationRefused, SecretKeyError]

function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandFailure) return error
  if (error.name === 'AbortError') return new CommandFailure(EXIT.refused, 'interrupted')
  if (error instanceof WorkspaceRefusal) return new CommandFailure(EXIT.refused, error.message, error.code)
  if (error instanceof ConfigError) return new CommandFailure(EXIT.usage, error.message)
  if (SPEAKING.some((known) => error instanceof known)) return new CommandFailure(EXIT.refused, error.message)
  // None holds the password.
  const failure = postgresFailureOf(error)
  if (failure !== undefined)
    return new CommandFailure(EXIT.refused, `Postgres: ${printable(failure.message)}`, failure.code)
  return error
}
