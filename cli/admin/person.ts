import type { Command } from 'commander'
import type { Scope } from '../../domain/key.js'
import { createPerson, listPeople, newId } from '../../postgres/tables/workspaces.js'
import { parseEmail, parseId, parseName, parseScopes } from '../option-parsers.js'
import { printJson, printRecord, printTable, type Terminal } from '../output.js'
import { resolveWorkspace, withAdminDatabase } from './with-database.js'

interface CreateOptions {
  readonly name: string
  readonly email: string
  readonly permissions: readonly Scope[]
  readonly workspace?: string
  readonly json?: true
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
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { id }')
    .action((options: CreateOptions) =>
      withAdminDatabase(terminal, async (context) => {
        const workspaceId = await resolveWorkspace(context, options.workspace)
        const { name, email } = options
        const permissions = options.permissions ?? []
        const created = await createPerson(context.sql, {
          id: newId(),
          workspaceId,
          name,
          email,
          permissions,
          now: context.now,
        })
        if (options.json) printJson(terminal, created)
        else printRecord(terminal, { ...created, name, email, permissions })
      }),
    )
  person
    .command('list')
    .description('list the people of a workspace')
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option('--json', 'print { data: [{ id, name, email, owner, permissions, createdAt }] }')
    .action((options: { readonly workspace?: string; readonly json?: true }) =>
      withAdminDatabase(terminal, async (context) => {
        const people = await listPeople(context.sql, await resolveWorkspace(context, options.workspace))
        if (options.json) printJson(terminal, { data: people })
        else
          printTable(
            terminal,
            ['id', 'name', 'email', 'permissions', 'created'],
            people.map((each) => [
              each.id,
              each.name,
              each.email,
              each.owner ? 'owner' : each.permissions,
              each.createdAt,
            ]),
          )
      }),
    )
}
