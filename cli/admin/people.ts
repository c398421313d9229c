import { type Command, Option } from 'commander'
import type { Scope } from '../../domain/key.js'
import { addPerson, changePerson, removePerson } from '../../management/people/index.js'
import { listPeople, newId, type PersonSummary } from '../../postgres/tables/workspaces.js'
import { usageError } from '../command-error.js'
import { parseEmail, parseId, parseName, parseScopes } from '../option-parsers.js'
import { printRecord, type Terminal } from '../output.js'
import { addListCommand } from './resource-commands.js'
import { type AdminOptions, changeInWorkspace, WORKSPACE_OPTION } from './with-database.js'

interface PersonOptions extends AdminOptions {
  readonly name: string
  readonly email: string
  readonly permissions?: readonly Scope[]
}

const FIELDS = 'id, name, email, owner, permissions, createdAt, invitationExpiresAt'

/** The group `person`. */
export function addPersonCommands(admin: Command, terminal: Terminal): void {
  const person = admin
    .command('person')
    .description('people of a workspace: keys and sessions act as one of them')
  person
    .command('create')
    .description('add a person')
    .requiredOption('--name <name>', 'name of the person', parseName)
    .requiredOption('--email <email>', 'email of the person, unique in the workspace', parseEmail)
    .option(...permissionsOption('(default: nothing)'))
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id }')
    .action((options: PersonOptions) => {
      const { name, email, permissions = [] } = options
      return changeInWorkspace(
        terminal,
        options,
        'person.create',
        async (tx, { workspaceId, now }) => {
          const fields = { id: newId(), name, email, permissions }
          const { result, audit } = await addPerson(tx, workspaceId, fields, now)
          return { result: { id: result.id }, audit }
        },
        ({ id }) => printRecord(terminal, { id, name, email, permissions }),
      )
    })
  addListCommand(person, terminal, {
    description: 'list the people of a workspace',
    fields: FIELDS,
    columns: ['id', 'name', 'email', 'permissions', 'createdAt'],
    read: ({ sql }, workspaceId) => listPeople(sql, workspaceId),
    cells,
  })
  addSetPerson(person, terminal)
  addRemovePerson(person, terminal)
}

const permissionsOption = (more: string) =>
  [
    '--permissions <scopes>',
    `what the person may write, scopes separated by commas ${more}`,
    parseScopes,
  ] as const

function cells({ id, name, email, owner, permissions, createdAt }: PersonSummary) {
  return { id, name, email, permissions: owner ? 'owner' : permissions, createdAt }
}

interface SetOptions extends AdminOptions {
  readonly name?: string
  readonly permissions?: readonly Scope[]
  readonly owner?: 'yes' | 'no'
}

function addSetPerson(person: Command, terminal: Terminal): void {
  person
    .command('set')
    .description('change what is named of a person and leave the rest')
    .argument('<id>', 'id of the person', parseId)
    .option('--name <name>', 'name of the person', parseName)
    .option(...permissionsOption('(an owner has all)'))
    .addOption(new Option('--owner <choice>', 'whether the person owns the workspace').choices(['yes', 'no']))
    .option(...WORKSPACE_OPTION)
    .option('--json', `print { ${FIELDS} }`)
    .action(async (id: string, options: SetOptions) => {
      const { name, permissions, owner } = options
      if (name === undefined && permissions === undefined && owner === undefined)
        throw usageError('name at least one change: --name, --permissions or --owner')
      const changes = { name, permissions, owner: owner === undefined ? undefined : owner === 'yes' }
      await changeInWorkspace(
        terminal,
        options,
        'person.update',
        (tx, { workspaceId }) => changePerson(tx, { workspaceId, id }, changes),
        (changed) => printRecord(terminal, cells(changed)),
      )
    })
}

function addRemovePerson(person: Command, terminal: Terminal): void {
  person
    .command('remove')
    .description('remove a person: their keys, server keys too, and sessions end at once')
    .argument('<id>', 'id of the person', parseId)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { id }')
    .action((id: string, options: AdminOptions) =>
      changeInWorkspace(
        terminal,
        options,
        'person.delete',
        async (tx, { workspaceId, now }) => {
          const { audit } = await removePerson(tx, { workspaceId, id }, now)
          return { result: { id }, audit }
        },
        (removed) => printRecord(terminal, removed),
      ),
    )
}
