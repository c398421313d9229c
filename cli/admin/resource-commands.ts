import type { Command } from 'commander'
import type { Transaction } from '../../postgres/driver/client.js'
import { parseId } from '../option-parsers.js'
import { type Cell, printRecord, printRows, type Terminal } from '../output.js'
import {
  type AdminContext,
  type AdminOptions,
  changeInWorkspace,
  printFromDatabase,
  resolveWorkspace,
  WORKSPACE_OPTION,
} from './with-database.js'

/** Adds `list`: the rows of the workspace, as JSON whole and in a table with these columns. */
export function addListCommand<Row, Key extends string>(
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
export function addRevokeCommand(
  parent: Command,
  terminal: Terminal,
  description: string,
  /** `resource.verb` of the audit entry. */
  action: string,
  revoke: (
    tx: Transaction,
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
      changeInWorkspace(
        terminal,
        options,
        action,
        async (tx, { workspaceId, now }) => {
          const { already, revokedAt } = await revoke(tx, { workspaceId, id, now })
          if (already)
            terminal.err(`The ${noun} was already revoked at ${revokedAt.toISOString()}: nothing changed.\n`)
          const audit = { resourceId: id, summary: `Ended the ${noun} ${id}` }
          return { result: { id, revokedAt }, audit: already ? undefined : audit }
        },
        (revoked) => printRecord(terminal, revoked),
      ),
    )
}
