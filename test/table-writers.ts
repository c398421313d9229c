import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const FOLDERS = rootFolders().filter((folder) => folder !== 'bench' && folder !== 'test')
const WRITE = /\b(?:insert into|update|delete from|truncate(?: table)?|merge into)\s+(?:only\s+)?(\w+)/g

/** The modules that write each table. */
function writersOf(tables: ReadonlySet<string>, files: readonly { name: string; text: string }[]) {
  const writers = new Map<string, Set<string>>()
  for (const { name, text } of files)
    for (const [, table = ''] of text.matchAll(WRITE))
      if (tables.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(name))
  return writers
}

t.test('every Postgres table has one module that writes it', async (t) => {
  const root = packageRoot()
  const schema = join(root, 'postgres', 'schema')
  const tables = new Set(
    readdirSync(schema).flatMap((file) =>
      [...readFileSync(join(schema, file), 'utf8').matchAll(/create table (\w+)/g)].map(
        ([, table = '']) => table,
      ),
    ),
  )
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => file.endsWith('.ts') && !file.includes('/test/'))
      .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') })),
  )
  const writers = writersOf(tables, files)
  t.ok(writers.get('log_partitions')?.has('consumers/partitions/checkpoint.ts'), 'writers are found')
  t.same(
    [...writers].flatMap(([table, names]) => (names.size > 1 ? [`${table}: ${[...names].join(', ')}`] : [])),
    [],
  )
})

t.test('a second writer is found', async (t) => {
  const writers = writersOf(new Set(['logs']), [
    { name: 'a.ts', text: 'sql`insert into logs (id) values (1)`' },
    { name: 'b.ts', text: 'sql`\n  update logs set id = 2`' },
    { name: 'c.ts', text: 'sql`select * from logs for update`' },
  ])
  t.same([...(writers.get('logs') ?? [])], ['a.ts', 'b.ts'])
})
