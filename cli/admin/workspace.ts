import type { Command } from 'commander'
import { createWorkspace, listWorkspaces, newId } from '../../postgres/tables/workspaces.js'
import { parseEmail, parseName } from '../option-parsers.js'
import { printRecord, printRows, type Terminal } from '../output.js'
import { type AdminOptions, printFromDatabase } from './with-database.js'

interface CreateOptions extends AdminOptions {
  readonly name: string
  readonly ownerName: string
  readonly ownerEmail: string
}

export function addWorkspaceCommands(admin: Command, terminal: Terminal): void {
  const workspace = admin.command('workspace').description('workspaces, each with an owner')
  workspace
    .command('create')
    .description('create a workspace and the person who owns it')
    .requiredOption('--name <name>', 'name of the workspace', parseName)
    .option('--owner-name <name>', 'name of its owner', parseName, 'Owner')
    .option('--owner-email <email>', 'email of its owner', parseEmail, 'owner@localhost')
    .option('--json', 'print { id, name, personId }')
    .action((options: CreateOptions) =>
      printFromDatabase(
        terminal,
        options,
        ({ sql, now }) => {
          const { name, ownerName, ownerEmail } = options
          return createWorkspace(sql, { id: newId(), name, personId: newId(), ownerName, ownerEmail, now })
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
