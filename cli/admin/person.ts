import type { Command } from 'commander'
import type { Scope } from '../../domain/key.js'
import { createPerson, listPeople, newId } from '../../postgres/tables/workspaces.js'
import { parseEmail, parseName, parseScopes } from '../option-parsers.js'
import { printRecord, printRows, type Terminal } from '../output.js'
import { type AdminOptions, printFromDatabase, resolveWorkspace, WORKSPACE_OPTION } from './with-database.js'

interface CreateOptions extends AdminOptions {
  readonly name: string
  readonly email: string
  readonly permissions?: readonly Scope[]
}

export function addPersonCommands(admin: Command, terminal: Terminal): void {
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
    .action((options: CreateOptions) => {
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
  person
    .command('list')
    .description('list the people of a workspace')
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { data: [{ id, name, email, owner, permissions, createdAt }] }')
    .action((options: AdminOptions) =>
      printFromDatabase(
        terminal,
        options,
        async (context) => ({
          data: await listPeople(context.sql, await resolveWorkspace(context, options.workspace)),
        }),
        ({ data }) =>
          printRows(
            terminal,
            data.map((each) => ({ ...each, permissions: each.owner ? 'owner' : each.permissions })),
            ['id', 'name', 'email', 'permissions', 'createdAt'],
          ),
      ),
    )
}
