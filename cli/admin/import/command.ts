import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { IMPORT_SCOPE } from '../../../domain/key.js'
import { formatCount } from '../../../domain/text/format.js'
import { createKey, revokeKey } from '../../../postgres/tables/keys.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { normalizeUrl } from '../../client/connection.js'
import { CommandError, refusedError } from '../../command-error.js'
import type { Context } from '../../context.js'
import { type ImportPlan, LINES_REFUSED, sendEvents } from '../../events/send.js'
import {
  type AdminOptions,
  changeAsOperator,
  resolveWorkspace,
  WORKSPACE_OPTION,
  withAdminDatabase,
} from '../with-database.js'
import { tryImport } from './dry-run.js'
import { findExportedFiles } from './exported-files.js'
import { IMPORT_FORMATS, type ImportFormat } from './formats.js'
import { importedLine } from './line.js'

interface ImportOptions extends AdminOptions {
  readonly format: ImportFormat
  readonly dryRun?: true
}

/** A command that was killed leaves its key behind for so long. */
const KEY_MS = 7 * 24 * 60 * 60 * 1_000
/** Requests at a time: live events keep their share of the gateway and of the log. */
const CONCURRENCY = 2

export function addImportCommands(admin: Command, context: Context): void {
  const events = admin.command('events').description('history of other tools')
  events
    .command('import')
    .description('import events with their own times; the same command goes on after an interruption')
    .argument(
      '<files...>',
      'files with one event a line (.ndjson, .jsonl, .json, also .gz), and folders of them',
    )
    .addOption(
      new Option('--format <format>', 'the tool that exported them')
        .choices(IMPORT_FORMATS)
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'say what would come and what would not, and change nothing')
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { file, accepted, refused: [{ line, field, message }], notSent } for each file')
    .addHelpText(
      'after',
      `
Times stay as they are, from 1970 until now, and limits of live events do not apply. Events with the same insertId are stored once
within a calendar month; a line without one gets one from its content. svc must be running: SVC_INGEST_URL, or port SVC_INGEST_PORT here.

Examples:
  svc admin events import posthog.ndjson --format posthog --dry-run
  svc admin events import amplitude-2026/ --format amplitude`,
    )
    .action((paths: readonly string[], options: ImportOptions) =>
      options.dryRun
        ? tryImport(
            context,
            findExportedFiles(paths).files.map(({ path }) => path),
            options,
          )
        : importEvents(context, paths, options),
    )
}

async function importEvents(
  context: Context,
  paths: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const { terminal, environment } = context
  const { files: found, forget } = findExportedFiles(paths)
  const name = `import ${basename(paths[0] ?? '')}`.slice(0, 100)
  const opened = await withAdminDatabase(terminal, async (database, { ingestPort }) => {
    if (database.startedHere)
      throw refusedError('svc is not running: start it, and import again', 'NOT_RUNNING')
    const workspaceId = await resolveWorkspace(database, options.workspace)
    const { now, secretKey } = database
    const created = await changeAsOperator(database, workspaceId, 'key.create', async (tx) => {
      const id = newId()
      const expiresAt = new Date(now.getTime() + KEY_MS)
      const result = await createKey(tx, secretKey, {
        id,
        workspaceId,
        type: 'server',
        name,
        scopes: [IMPORT_SCOPE],
        expiresAt,
        now,
      })
      return { result, audit: { resourceId: id, summary: `Created the key ${JSON.stringify(name)}` } }
    })
    return { ...created, workspaceId, local: `http://127.0.0.1:${ingestPort}` }
  })
  const { id, key, workspaceId, local } = opened
  try {
    const ingestUrl = normalizeUrl(environment.ingestUrl ?? local, 'SVC_INGEST_URL')
    const target = [ingestUrl, workspaceId, options.format].join(' ')
    const files = found.filter(({ doneFor }) => !doneFor.has(target))
    const elsewhere = files.filter(({ doneFor }) => doneFor.size > 0)
    if (files.length < found.length)
      terminal.err(`${countFiles(found.length - files.length)} imported before the interruption\n`)
    if (elsewhere.length > 0)
      terminal.err(
        `${countFiles(elsewhere.length)} imported to another address or workspace, with another format, or by an older version of svc: importing from the start. Events that svc has received are stored once.\n`,
      )
    const workspace = options.workspace === undefined ? '' : ` --workspace ${options.workspace}`
    const plan: Omit<ImportPlan, 'onFinished'> = {
      serverKey: key,
      ingestUrl,
      target,
      // The age of history is no reason for a warning.
      parseLine: (line, text) => ({ ...importedLine(options.format, line, text), timestamp: undefined }),
      concurrency: CONCURRENCY,
      command: `svc admin events import ${paths.join(' ')} --format ${options.format}${workspace}`,
    }
    let refused: CommandError | undefined
    for (const [index, { path, noteDone }] of files.entries()) {
      if (files.length > 1) terminal.err(`${path} (${index + 1} of ${files.length})\n`)
      try {
        await sendEvents(context, path, options, {
          ...plan,
          // A file of which nothing was accepted is tried again, such as with a later version of svc.
          onFinished: (accepted) => accepted > 0 && noteDone(target),
        })
      } catch (error) {
        // The other lines of the file are stored, and the next files follow.
        if (!(error instanceof CommandError) || error.code !== LINES_REFUSED) throw error
        refused = error
      }
    }
    forget()
    if (refused !== undefined) throw refused
  } finally {
    await withAdminDatabase(terminal, (database) =>
      changeAsOperator(database, workspaceId, 'key.delete', async (tx) => ({
        result: await revokeKey(tx, { workspaceId, id, now: new Date() }),
        audit: { resourceId: id, summary: `Revoked the key ${JSON.stringify(name)}` },
      })),
    )
  }
}

function countFiles(count: number): string {
  return count === 1 ? '1 file was' : `${formatCount(count)} files were`
}
