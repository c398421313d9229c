import { readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Command } from 'commander'
import { auditByOperator } from '../../postgres/tables/audit-entries.js'
import {
  connectRepository,
  disconnectRepository,
  findRepository,
  type RepositoryConnection,
  type RepositoryRow,
  tokenOf,
} from '../../postgres/tables/repositories.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { RepositoryError } from '../../repositories/errors.js'
import { githubHost } from '../../repositories/github/host.js'
import { localHost } from '../../repositories/local/host.js'
import { placeProblem } from '../../repositories/path-policy.js'
import type { RepositoryHost } from '../../repositories/port.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { errorReason } from '../../runtime/errors.js'
import { UnsealError } from '../../runtime/sealed-secret.js'
import { refusedError, usageError } from '../command-error.js'
import { printJson, printRecord, type Terminal } from '../output.js'
import {
  type AdminContext,
  type AdminOptions,
  printFromDatabase,
  resolveWorkspace,
  withAdminDatabase,
} from './with-database.js'

interface ConnectOptions extends AdminOptions {
  readonly local?: string
  readonly github?: string
  readonly tokenFile?: string
  readonly baseUrl?: string
  readonly webhookSecretFile?: string
  readonly branch?: string
  readonly allow?: readonly string[]
  readonly helper?: string
  readonly exposures: string
}

const DEFAULT_EXPOSURES = '/_svc/exposures'
const CHECK_MS = 20_000

export function addRepositoryCommands(admin: Command, terminal: Terminal): void {
  const repository = admin
    .command('repository')
    .description("a workspace's repository, where experiments become pull requests")
  const subcommand = (name: string, description: string): Command =>
    repository
      .command(name)
      .description(description)
      .option('--workspace <id>', 'the workspace (default: the only one)')
      .option('--json', 'print { host, name, branch, ok, message, helper, exposures, allow }')
  addConnectOptions(subcommand('connect', 'connect a repository, in the place of the one there is')).action(
    (options: ConnectOptions) =>
      printFromDatabase(
        terminal,
        options,
        (context) => connect(context, options),
        (view) => printView(terminal, view),
      ),
  )
  subcommand('status', 'tell whether the repository can be worked with').action((options: AdminOptions) =>
    withAdminDatabase(terminal, async (context) => {
      const view = await statusOf(context, await connectedRow(context, options))
      if (options.json) printJson(terminal, view)
      else printView(terminal, view)
      if (!view.ok) throw refusedError(String(view.message), 'REPOSITORY_UNUSABLE')
    }),
  )
  subcommand(
    'disconnect',
    'forget the repository and its token; its branches and pull requests stay as they are',
  ).action((options: AdminOptions) =>
    printFromDatabase(
      terminal,
      options,
      (context) => disconnect(context, options),
      (view) => printView(terminal, view),
    ),
  )
}

function addConnectOptions(command: Command): Command {
  return command
    .option('--local <path>', 'a git repository on this machine, bare or with a work tree')
    .option('--github <owner/name>', 'a repository at GitHub')
    .option(
      '--token-file <file>',
      'file with the token for --github, which may write contents and pull requests',
    )
    .option('--base-url <url>', 'address of the API, for GitHub Enterprise')
    .option(
      '--webhook-secret-file <file>',
      'file with the secret that deliveries to /hooks/github/WORKSPACE are signed with',
    )
    .option(
      '--branch <branch>',
      'the base branch (default: the default branch at GitHub, the one checked out now of --local)',
    )
    .option(
      '--allow <glob>',
      'a guarded path that experiments may write to; may be given several times',
      (glob: string, globs: readonly string[] = []) => [...globs, glob],
    )
    .option('--helper <path>', 'path of svc-experiments.js (default: by the layout of the repository)')
    .option('--exposures <path>', 'the path of the site that accepts exposures', DEFAULT_EXPOSURES)
}

async function connect(context: AdminContext, options: ConnectOptions) {
  const connection = readConnection(options)
  const workspaceId = await resolveWorkspace(context, options.workspace)
  const host = openHost(connection)
  try {
    const check = await host.check(deadlineSignal(CHECK_MS))
    if (!check.ok)
      throw refusedError(`${connection.location} was not connected: ${check.message}`, 'REPOSITORY_UNUSABLE')
    const { sql, secretKey, now } = context
    const id = newId()
    // A work tree's HEAD changes with every checkout, and the base branch must not.
    const fixed = connection.kind === 'local' ? { ...connection, branch: check.branch ?? null } : connection
    await sql.begin(async (tx) => {
      await connectRepository(tx, secretKey, { id, workspaceId, now }, fixed)
      await auditByOperator(tx, now, workspaceId, {
        action: 'repository.connect',
        resourceId: id,
        summary: `Connected the repository ${JSON.stringify(connection.location)}`,
      })
    })
    return viewOf(connection, check)
  } finally {
    await host.close()
  }
}

async function disconnect(context: AdminContext, options: AdminOptions) {
  const row = await connectedRow(context, options)
  const { id, workspaceId, location } = row
  await context.sql.begin(async (tx) => {
    await disconnectRepository(tx, workspaceId)
    await auditByOperator(tx, context.now, workspaceId, {
      action: 'repository.disconnect',
      resourceId: id,
      summary: `Disconnected the repository ${JSON.stringify(location)}`,
    })
  })
  return viewOf(row, { ok: false, message: 'disconnected', branch: row.branch ?? undefined })
}

async function connectedRow(context: AdminContext, options: AdminOptions): Promise<RepositoryRow> {
  const row = await findRepository(context.sql, await resolveWorkspace(context, options.workspace))
  if (row !== undefined) return row
  throw refusedError(
    'the workspace has no repository: connect one with svc admin repository connect',
    'REPOSITORY_NOT_CONNECTED',
  )
}

async function statusOf({ secretKey }: AdminContext, row: RepositoryRow) {
  let host: RepositoryHost | undefined
  try {
    host = openHost({ ...row, token: tokenOf(row, secretKey), webhookSecret: undefined })
    return viewOf(row, await host.check(deadlineSignal(CHECK_MS)))
  } catch (error) {
    if (!(error instanceof UnsealError) && !(error instanceof RepositoryError)) throw error
    return viewOf(row, { ok: false, message: error.message, branch: row.branch ?? undefined })
  } finally {
    await host?.close()
  }
}

function openHost(connection: RepositoryConnection): RepositoryHost {
  const branch = connection.branch ?? undefined
  try {
    return connection.kind === 'local'
      ? localHost({ path: connection.location, branch })
      : githubHost({
          repository: connection.location,
          token: connection.token ?? '',
          baseUrl: connection.baseUrl ?? undefined,
          branch,
        })
  } catch (error) {
    if (error instanceof RepositoryError) throw usageError(error.message)
    throw error
  }
}

/** @throws CommandError if the flags contradict each other */
function readConnection(options: ConnectOptions): RepositoryConnection {
  const { local, github, tokenFile, baseUrl, webhookSecretFile, branch, allow, helper, exposures } = options
  if ((local === undefined) === (github === undefined))
    throw usageError('name the repository by either --local or --github')
  if (local !== undefined)
    for (const [flag, value] of Object.entries({
      '--token-file': tokenFile,
      '--base-url': baseUrl,
      '--webhook-secret-file': webhookSecretFile,
    }))
      if (value !== undefined) throw usageError(`${flag} is for --github`)
  if (github !== undefined && tokenFile === undefined) throw usageError('--github needs --token-file')
  if (helper !== undefined) {
    const problem =
      placeProblem(helper, undefined) ??
      (/(^|\/)svc-experiments\.js$/.test(helper) ? undefined : 'it has to be named svc-experiments.js')
    if (problem !== undefined) throw usageError(`--helper ${helper} cannot be written: ${problem}`)
  }
  if (!/^\/(?!\/)[\x21-\x7e]{0,500}$/.test(exposures))
    throw usageError('--exposures is a path of the site that begins with one /')
  if (/\/analytics\//i.test(exposures))
    throw usageError('--exposures under /analytics/ is blocked by ad blockers: choose another path')
  if (exposures.endsWith('/state.js'))
    throw usageError('--exposures cannot be state.js, which has the serving state: choose another name')
  return {
    kind: local === undefined ? 'github' : 'local',
    location: local === undefined ? (github ?? '') : realPath(local),
    baseUrl: baseUrl ?? null,
    branch: branch ?? null,
    allow: allow ?? [],
    helper: helper ?? null,
    exposures,
    token: readSecretFile('--token-file', tokenFile),
    webhookSecret: readSecretFile('--webhook-secret-file', webhookSecretFile),
  }
}

/** The absolute path without links. A missing folder is reported by the check that follows. */
function realPath(path: string): string {
  const absolute = isAbsolute(path) ? path : resolve(path)
  try {
    return realpathSync(absolute)
  } catch {
    // The check that follows reports a missing folder.
    return absolute
  }
}

function readSecretFile(flag: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw usageError(`${flag} names ${file}, which cannot be read (${errorReason(error)})`)
  }
  if (text === '') throw usageError(`${flag} names ${file}, which is empty`)
  return text
}

type Shown = Omit<RepositoryConnection, 'token' | 'webhookSecret'>

function viewOf(
  { kind, location, branch, helper, exposures, allow }: Shown,
  check: { readonly ok: boolean; readonly message: string; readonly branch: string | undefined },
) {
  return {
    host: kind,
    name: location,
    branch: check.branch ?? branch,
    ok: check.ok,
    message: check.message,
    helper,
    exposures,
    allow: [...allow],
  }
}

function printView(terminal: Terminal, view: ReturnType<typeof viewOf>): void {
  printRecord(terminal, { ...view, ok: view.ok ? 'yes' : 'no' })
}
