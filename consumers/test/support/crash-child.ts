/**
 * Consumers in their own process, for tests that kill it. The first argument is `{ logPath, clickhousePath,
 * postgresUrl, killAt, pass }`. Ends itself with SIGKILL at that pass of a fault point, and exits 0 once the
 * log is drained.
 */
import { Registry } from 'prom-client'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { createLogger } from '../../../runtime/logger.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { startConsumers } from '../../start.js'

export interface ChildOptions {
  readonly logPath: string
  readonly clickhousePath: string
  readonly postgresUrl: string
  readonly killAt: string
  readonly pass: number
}

const options = JSON.parse(process.argv[2] ?? '{}') as ChildOptions
const clickhouse = await openEmbeddedClickHouse({ path: options.clickhousePath, readers: 1 })
const log = await openEmbeddedLog({ path: options.logPath, partitions: 1, identityPartitions: 1 })
const sql = connectPostgres({ url: options.postgresUrl, applicationName: 'child', maxConnections: 4 })
let passes = 0
const stage = await startConsumers({
  log,
  sql,
  clickhouse,
  dedupMemoryBytes: 2 ** 28,
  logger: createLogger('warn', 'child'),
  registry: new Registry(),
  now: Date.now,
  faultPoint(name) {
    if (name === options.killAt && ++passes === options.pass) process.kill(process.pid, 'SIGKILL')
  },
  // Small, so that there are many blocks and marks to be killed at.
  tuning: { limits: { rows: 25, bytes: 2 ** 20 }, batchBytes: 8_192, lingerMs: 10, commitAfterMs: 0 },
})
process.send?.('started')
if (options.killAt === 'drained') {
  await waitUntil(async () => {
    const [row] = await sql<{ open: string; done: string; links: string }[]>`
      select count(open_to) as open, sum(done_offset) as done, (select count(*) from link_outbox) as links
      from log_partitions where log_id = ${log.id}`
    const end = (await log.end(0)) + (await log.end(1))
    return Number(row?.open) === 0 && Number(row?.done) === end && Number(row?.links) === 0
  })
  await stage.stop()
  await Promise.all([log.close(), clickhouse.close(), sql.end({ timeout: 1 })])
}
