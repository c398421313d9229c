import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import { HOLD_SCRIPT, query, start, temporaryFolder } from '../../test/support/server.js'

t.test('after kill -9 during initdb the next start begins again', async (test) => {
  for (const waitMs of [0, 150]) {
    const dataDir = join(temporaryFolder(test), 'postgres')
    const child = spawn(process.execPath, [HOLD_SCRIPT, dataDir], { stdio: 'ignore' })
    const unfinished = (): boolean =>
      existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('initialising-'))
    await waitUntil(unfinished)
    await delay(waitMs)
    child.kill('SIGKILL')
    await once(child, 'exit')
    test.notOk(existsSync(join(dataDir, 'cluster')))
    const server = await start(test, dataDir)
    test.strictSame([...(await query(server.url, (sql) => sql`select 1 as one`))], [{ one: 1 }])
    test.notOk(unfinished(), 'nothing of the first attempt is left')
    await server.stop()
  }
})
