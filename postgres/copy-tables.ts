import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Sql, Transaction } from './driver/client.js'

/** The parts of a copy of the database besides the rows of its tables. */
export interface TableCopies {
  readonly tables: readonly TableCopy[]
  readonly sequences: readonly { readonly name: string; readonly value: string }[]
}

export interface TableCopy {
  readonly name: string
  /** In the order of the values in the file. */
  readonly columns: readonly string[]
}

/** The file of a table in a folder of copies. */
export const tableFile = (table: string): string => `${table}.copy`

/** Writes the rows of all tables into files, as the transaction sees them. */
export async function copyTablesOut(tx: Transaction, folder: string): Promise<TableCopies> {
  const tables = await tx<TableCopy[]>`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class c join pg_attribute a on attrelid = c.oid
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      and attgenerated = ''
    group by relname order by relname`
  for (const table of tables) {
    const rows = await tx.unsafe(`copy ${columnsOf(table)} to stdout`).readable()
    await pipeline(rows, createWriteStream(join(folder, tableFile(table.name)), { mode: 0o600, flush: true }))
    // The driver stops reading the connection while this stream is full, and forgets to go on at its end.
    rows._read(0)
  }
  const sequences = await tx<{ name: string; value: string }[]>`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`
  return { tables: [...tables], sequences: [...sequences] }
}

/**
 * Replaces the rows of all tables by those of the files, in one transaction. The schema must be the one that
 * they were copied from. Triggers do not fire: what they wrote is in the files. References are checked.
 */
export async function copyTablesIn(sql: Sql, folder: string, copies: TableCopies): Promise<void> {
  await sql.begin(async (tx) => {
    const enable = await withoutTriggers(tx)
    await tx.unsafe(`truncate ${copies.tables.map(({ name }) => quoted(name)).join(', ')}`)
    for (const table of copies.tables) {
      const rows = await tx.unsafe(`copy ${columnsOf(table)} from stdin`).writable()
      await pipeline(createReadStream(join(folder, tableFile(table.name))), rows)
    }
    for (const { name, value } of copies.sequences)
      await tx`select setval(${quoted(name)}::regclass, ${value}::bigint)`
    await tx`set constraints all immediate`
    await enable()
  })
  await sql`analyze`
}

/**
 * Disables the triggers and defers the references, because tables may refer to each other in a circle.
 *
 * @returns puts both back as they were
 */
async function withoutTriggers(tx: Transaction): Promise<() => Promise<void>> {
  const triggers = await tx<{ on: string; name: string; always: boolean }[]>`
    select tgrelid::regclass::text as "on", tgname as name, tgenabled = 'A' as always
    from pg_trigger join pg_class c on c.oid = tgrelid
    where not tgisinternal and tgenabled in ('O', 'A') and relnamespace = current_schema()::regnamespace`
  const references = await tx<{ on: string; name: string }[]>`
    select conrelid::regclass::text as "on", conname as name from pg_constraint
    where contype = 'f' and not condeferrable and connamespace = current_schema()::regnamespace`
  const alterAll = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await tx.unsafe(`alter table ${statement}`)
  }
  const alterReferences = (change: string): readonly string[] =>
    references.map(({ on, name }) => `${on} alter constraint ${quoted(name)} ${change}`)
  await alterAll([
    ...alterReferences('deferrable initially deferred'),
    ...triggers.map(({ on, name }) => `${on} disable trigger ${quoted(name)}`),
  ])
  return () =>
    alterAll([
      ...triggers.map(
        ({ on, name, always }) => `${on} enable ${always ? 'always ' : ''}trigger ${quoted(name)}`,
      ),
      ...alterReferences('not deferrable'),
    ])
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const columnsOf = ({ name, columns }: TableCopy): string =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`
