import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../postgres/client.js'
import { ensureDemoWorkspace } from '../postgres/demo.js'

/**
 * First start on an empty data directory: makes the demo workspace and writes its keys to `dev-keys.json`, readable by the owner alone. The file is
 * complete on disk before the workspace is committed, and gets its name afterwards: killed in between, the next start begins again.
 */
export async function writeDevKeys(sql: Sql, secretKey: Uint8Array, dataDir: string): Promise<void> {
  const path = join(dataDir, 'dev-keys.json')
  const draft = `${path}.new`
  const made = await ensureDemoWorkspace(sql, secretKey, (keys) => {
    const file = openSync(draft, 'w', 0o600)
    try {
      writeSync(file, `${JSON.stringify(keys, null, 2)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  })
  if (made) renameSync(draft, path)
}
