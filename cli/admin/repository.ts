import { readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Command } from 'commander'
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
import { type AdminContext, resolveWorkspace, withAdminDatabase } from './with-database.js'

interface CommonOptions {
  readonly workspace?: string
  readonly json?: true
}

interface ConnectOptions extends CommonOptions {
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
  const common = (command: Command): Command =>
    command
      .option('--workspace <id>', 'the workspace (default: the only one)')
      .option('--json', 'print { host, name, branch, ok, message, helper, exposures, allow }')
  common(
    repository
      .command('connect')
      .description('connect a repository, in the place of the one there is')
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
      .option('--exposures <path>', 'the path of the site that accepts exposures', DEFAULT_EXPOSURES),
  ).action((options: ConnectOptions) =>
    withAdminDatabase(terminal, async (context) => {
      const connection = readConnection(options)
      const workspaceId = await resolveWorkspace(context, options.workspace)
      const host = openHost(connection)
      try {
        const check = await host.check(deadlineSignal(CHECK_MS))
        if (!check.ok)
          throw refusedError(
            `${connection.location} was not connected: ${check.message}`,
            'REPOSITORY_UNUSABLE',
          )
        await connectRepository(
          context.sql,
          context.secretKey,
          { id: newId(), workspaceId, now: context.now },
          // A work tree's HEAD changes with every checkout, and the base branch must not.
          connection.kind === 'local' ? { ...connection, branch: check.branch ?? null } : connection,
        )
        show(terminal, options, viewOf(connection, check))
      } finally {
        await host.close()
      }
    }),
  )
  common(repository.command('status').description('tell whether the repository can be worked with')).action(
    (options: CommonOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const row = await connectedRow(context, options)
        const view = await statusOf(context, row)
        show(terminal, options, view)
        if (!view.ok) throw refusedError(String(view.message), 'REPOSITORY_UNUSABLE')
      }),
  )
  common(
    repository
      .command('disconnect')
      .description('forget the repository and its token; its branches and pull requests stay as they are'),
  ).action((options: CommonOptions) =>
    withAdminDatabase(terminal, async (context) => {
      const row = await connectedRow(context, options)
      await disconnectRepository(context.sql, row.workspaceId)
      show(
        terminal,
        options,
        viewOf(row, { ok: false, message: 'disconnected', branch: row.branch ?? undefined }),
      )
    }),
  )
}

async function connectedRow(context: AdminContext, options: CommonOptions): Promise<RepositoryRow> {
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
  const {
    local,
    github,
    tokenFile,
    baseUrl,
    webhookSecretFile,
    branch,
    allow = [],
    helper,
    exposures,
  } = options
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
    allow,
    helper: helper ?? null,
    exposures,
    token: tokenFile === undefined ? undefined : readSecretFile('--token-file', tokenFile),
    webhookSecret:
      webhookSecretFile === undefined
        ? undefined
        : readSecretFile('--webhook-secret-file', webhookSecretFile),
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

function readSecretFile(flag: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const code = errorReason(error)
    throw usageError(`${flag} names ${file}, which cannot be read (${code})`)
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

function show(terminal: Terminal, options: CommonOptions, view: ReturnType<typeof viewOf>): void {
  if (options.json) printJson(terminal, view)
  else printRecord(terminal, { ...view, ok: view.ok ? 'yes' : 'no' })
}
