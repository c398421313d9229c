import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openEmbeddedLog } from '../embedded.js'
import { logContract } from './support/contract.js'

await logContract(t, 'embedded', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-log-'))
  const options = { path, partitions: 3, identityPartitions: 2, pollMs: 5 }
  let log = await openEmbeddedLog(options)
  return {
    log,
    reopen: async () => {
      await log.close()
      log = await openEmbeddedLog(options)
      return log
    },
    destroy: async () => {
      await log.close()
      rmSync(path, { recursive: true })
    },
  }
})
