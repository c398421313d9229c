import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

export interface AppliedMigration {
  readonly version: number
  readonly checksum: string
}

/** The stored schema does not belong to this version of svc. The message says what to start instead. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * The `NNN-name.sql` files of a folder, in order.
 *
 * @throws Error if two have one number, because only one of them would be applied
 */
export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => /^\d{3}-.+\.sql$/.test(file))
  return files.sort().map((file, index) => {
    if (files[index - 1]?.startsWith(file.slice(0, 4)))
      throw new Error(`${files[index - 1]} and ${file} have the same number`)
    const sql = readFileSync(join(folder, file), 'utf8')
    return {
      version: Number(file.slice(0, 3)),
      name: file.slice(4, -4),
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
    }
  })
}

/**
 * The migrations that a store still needs.
 *
 * @throws MigrationError if a newer version has migrated the store, or its history differs from the files
 *   here: this program would misread the data
 */
export function pendingMigrations(
  store: string,
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const newest = known.at(-1)?.version ?? 0
  for (const row of applied) {
    if (row.version > newest)
      throw new MigrationError(
        `${store} has schema version ${row.version}, newer than the ${newest} this svc knows: start the version of svc that migrated it, or a later one`,
      )
    const file = known.find((migration) => migration.version === row.version)
    if (file !== undefined && file.checksum !== row.checksum)
      throw new MigrationError(
        `${store} was migrated by another version ${row.version} of the schema than this svc has: start the svc that made it`,
      )
  }
  const done = new Set(applied.map((row) => row.version))
  return known.filter((migration) => !done.has(migration.version))
}
