import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files of a data directory that contain one of the texts, except Postgres' write-ahead log. Columns are
 * compressed, but a text with a single copy is found.
 */
export function filesWith(dataDir: string, texts: readonly string[]): readonly string[] {
  const wanted = texts.map((text) => Buffer.from(text))
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('pg_wal'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      try {
        const bytes = readFileSync(file)
        return wanted.some((text) => bytes.includes(text))
      } catch {
        // A file that was removed meanwhile holds nothing.
        return false
      }
    })
}
