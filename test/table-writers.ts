import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const root = packageRoot()
/** The statements of clickhouse/ write tables of ClickHouse. */
const SKIPPED = ['bench', 'test', 'console', 'relay', 'clickhouse']
const PRODUCT = rootFolders().filter((folder) => !SKIPPED.includes(folder))

/** Tables that have more than one writer today, and how many. Lower a number, never raise one. */
const EXCEPTIONS: Readonly<Record<string, number>> = {
  dead_letter_replays: 4,
  dead_letters: 4,
  identity_links: 2,
  link_outbox: 3,
  log_partitions: 5,
  logs: 3,
}

const WRITE =
  /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+([a-z_]+)/gi

/** Tables of the schema, by its `create table` statements. */
const tables = new Set(
  [...textOf('postgres/schema').matchAll(/create table (?:if not exists )?([a-z_]+)/gi)].map(
    ([, name = '']) => name,
  ),
)

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(folder, file),
  )
}

function textOf(folder: string): string {
  return filesOf(folder)
    .filter((file) => /\.(sql|ts)$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
}

/** The modules that write each table. */
function writersOf(sources: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const writers = new Map<string, Set<string>>()
  for (const [file, text] of sources)
    for (const [, table = ''] of text.matchAll(WRITE))
      if (tables.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(file))
  return writers
}

t.test('each table of Postgres is written by one module', async (t) => {
  t.ok(tables.has('experiments'), 'the schema was found')
  const sources = new Map(
    PRODUCT.flatMap(filesOf)
      .filter((file) => /\.ts$/.test(file) && !/\/test\/|^postgres\/schema\//.test(file))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )
  for (const [table, modules] of writersOf(sources))
    t.ok(modules.size <= (EXCEPTIONS[table] ?? 1), `${table} is written by ${[...modules].join(', ')}`)
})

t.test('a second writer is found', async (t) => {
  const sources = new Map([
    ['a.ts', 'await sql`\n  insert into experiments (id) values (1)`'],
    ['b.ts', 'await tx`update experiments set key = 1`; on conflict do update set x = 1'],
  ])
  t.same([...(writersOf(sources).get('experiments') ?? [])], ['a.ts', 'b.ts'])
})
