import { join } from 'node:path'
import t from 'tap'
import { isAlive } from '../../../runtime/process-info.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { connectPostgres } from '../../driver/client.js'
import { temporaryFolder } from '../../test/support/server.js'
import { superviseEmbeddedPostgres } from '../supervisor.js'

t.test(
  'a server that ends unexpectedly is restarted at the same address with all committed data',
  async (t) => {
    const said: string[] = []
    const note = (facts: object | string, text?: string): void => void said.push(text ?? String(facts))
    const kept = await superviseEmbeddedPostgres({
      dataDir: join(temporaryFolder(t), 'postgres'),
      logger: { info: note, warn: note, error: note } as never,
    })
    t.teardown(() => kept.stop())
    const sql = connectPostgres({ url: kept.url, applicationName: 'svc test', maxConnections: 2 })
    t.teardown(() => sql.end({ timeout: 0 }))
    await sql`create table kept as select 1 as number`
    for (let time = 1; time <= 2; time++) {
      const { pid } = kept
      process.kill(pid, 'SIGKILL')
      await waitUntil(() => said.filter((text) => text.endsWith('runs again')).length === time)
      t.not(kept.pid, pid)
      t.notOk(isAlive(pid))
      await waitUntil(() => isAlive(kept.pid))
      t.same(
        [...(await sql`select number from kept`.catch(() => sql`select number from kept`))],
        [{ number: 1 }],
      )
    }
    const { pid } = kept
    await kept.stop()
    t.notOk(isAlive(pid))
    t.equal(said.filter((text) => text.endsWith('runs again')).length, 2, 'a stop is not reported as an exit')
  },
)

t.test('stopping ends the attempts to restart a server', async (t) => {
  const kept = await superviseEmbeddedPostgres({
    dataDir: join(temporaryFolder(t), 'postgres'),
    durable: false,
    logger: { info() {}, warn() {}, error() {} } as never,
  })
  const { pid } = kept
  process.kill(pid, 'SIGKILL')
  await kept.stop()
  t.notOk(isAlive(kept.pid))
})
