import type { Command } from 'commander'
import { createWorkspace, listWorkspaces, newId } from '../../postgres/tables/workspaces.js'
import { parseEmail, parseName } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import { withAdminDatabase } from './with-database.js'

interface CreateOptions {
  readonly name: string
  readonly ownerName: string
  readonly ownerEmail: string
  readonly json?: true
}

export function addWorkspaceCommands(admin: Command, terminal: Terminal): void {
  const workspace = admin.command('workspace').description('workspaces, each with an owner')
  workspace
    .command('create')
    .description('make a workspace and the person who owns it')
    .requiredOption('--name <name>', 'name of the workspace', parseName)
    .option('--owner-name <name>', 'name of its owner', parseName, 'Owner')
    .option('--owner-email <email>', 'email of its owner', parseEmail, 'owner@localhost')
    .option('--json', 'print { id, name, personId }')
    .action((options: CreateOptions) =>
      withAdminDatabase(terminal, async ({ sql, now }) => {
        const { name, ownerName, ownerEmail } = options
        const created = await createWorkspace(sql, {
          id: newId(),
          name,
          personId: newId(),
          ownerName,
          ownerEmail,
          now,
        })
        if (options.json) printJson(terminal, created)
        else printRecord(terminal, { ...created })
      }),
    )
  workspace
    .command('list')
    .description('list all workspaces with their owners')
    .option('--json', 'print { data: [{ id, name, personId }] }')
    .action((options: { readonly json?: true }) =>
      withAdminDatabase(terminal, async ({ sql }) => {
        const workspaces = await listWorkspaces(sql)
        if (options.json) printJson(terminal, { data: workspaces })
        else
          printTable(
            terminal,
            ['id', 'name', 'owner'],
            workspaces.map(({ id, name, personId }) => [id, name, personId]),
          )
      }),
    )
}
