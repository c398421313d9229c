import { join } from 'node:path'
import type { Sql } from '../../postgres/driver/client.js'
import { type DemoKeys, ensureDemoWorkspace } from '../../postgres/tables/demo.js'
import { writePrivateFile } from '../../runtime/private-file.js'

/**
 * On the first start with an empty data directory, creates the demo workspace and writes its keys to
 * `dev-keys.json`, readable by the owner alone. The file is on the disk before the workspace is committed, so
 * after a crash in between the next start creates both anew.
 *
 * @returns undefined on every later start
 */
export async function writeDevKeys(
  sql: Sql,
  secretKey: Uint8Array,
  dataDir: string,
): Promise<DemoKeys | undefined> {
  return ensureDemoWorkspace(sql, secretKey, (keys) => {
    writePrivateFile(join(dataDir, 'dev-keys.json'), `${JSON.stringify(keys, null, 2)}\n`, true)
  })
}
