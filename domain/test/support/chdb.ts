import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'

export interface Engine {
  rows(sql: string): unknown[][]
  /** Rows as ClickHouse reads them out of bytes in its RowBinary format. */
  readRowBinary(bytes: Uint8Array, structure: string, select: string): unknown[][]
  close(): void
}

/** A ClickHouse engine to compare with, in a temporary folder. 64-bit numbers and larger come as text. */
export function openEngine(): Engine {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chdb-'))
  const session = new Session(join(folder, 'data'))
  const rows = (sql: string): unknown[][] => {
    const answer = session.query(
      `${sql} SETTINGS output_format_json_quote_64bit_integers = 1`,
      'JSONCompact',
    ) as string
    return (JSON.parse(answer) as { data: unknown[][] }).data
  }
  return {
    rows,
    readRowBinary: (bytes, structure, select) => {
      const file = join(folder, 'rows.bin')
      writeFileSync(file, bytes)
      return rows(`SELECT ${select} FROM file('${file}', 'RowBinary', '${structure.replaceAll("'", "\\'")}')`)
    },
    close: () => {
      session.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
