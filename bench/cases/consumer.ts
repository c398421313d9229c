import { join } from 'node:path'
import { Registry } from 'prom-client'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import { listEventNames } from '../../clickhouse/queries/vocabulary.js'
import { registerLog } from '../../consumers/runs/register-log.js'
import { startConsumers } from '../../consumers/start.js'
import { decodeEvents } from '../../ingest/decode/decode.js'
import { openEmbeddedLog } from '../../log/embedded/log.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import { encodeRecords } from '../../log/record.js'
import { connectPostgres } from '../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../postgres/embedded/start.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { createLogger } from '../../runtime/logger.js'
import { makeBody, renewIds } from '../support/bodies.js'
import type { Figure } from '../support/figures.js'
import { cpuOfTree } from '../support/process-tree.js'

const WORKSPACE = '01980000-0000-7000-8000-000000000001'

/** The consumers alone: a log full of requests until every row can be queried, with the engine's merges running. */
export async function consumerCase(folder: string, rows: number): Promise<Figure[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 6 })
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse') })
  const log = await openEmbeddedLog({ path: join(folder, 'log'), partitions: 1, identityPartitions: 1 })
  try {
    await migratePostgres(sql)
    await migrateClickHouse(clickhouse)
    await registerLog(sql, log)
    const keys = workspaceHashKeys(new Uint8Array(32).fill(5), WORKSPACE)
    const bodies = Array.from({ length: 20 }, (_, i) => makeBody(i))
    let bytes = 0
    for (let sent = 0; sent < rows; ) {
      const group: Promise<void>[] = []
      for (let i = 0; i < 20 && sent < rows; i++, sent += 500) {
        const body = bodies[i % bodies.length]
        if (body === undefined) continue
        renewIds(body, sent)
        const decoded = decodeEvents(body.bytes)
        if (!decoded.ok) throw new Error('the body of the bench does not validate')
        const { records } = encodeRecords(
          { workspaceId: WORKSPACE, keyId: WORKSPACE, receivedAt: Date.now(), ...decoded.value },
          keys,
          log,
          () => false,
        )
        bytes += records.reduce((sum, { payload }) => sum + payload.length, 0)
        group.push(log.append(records))
      }
      await Promise.all(group)
    }
    const stored = async (): Promise<number> =>
      (await listEventNames(clickhouse, WORKSPACE)).reduce((sum, { count }) => sum + count, 0)
    const before = cpuOfTree(process.pid)
    const started = performance.now()
    const consumers = await startConsumers({
      log,
      sql,
      clickhouse,
      dedupMemoryBytes: 1024 * 1024 * 1024,
      logger: createLogger('error', 'bench'),
      registry: new Registry(),
      now: Date.now,
    })
    while ((await stored()) < rows) await new Promise((resolve) => setTimeout(resolve, 100))
    const seconds = (performance.now() - started) / 1_000
    const cpu = cpuOfTree(process.pid) - before
    // Merges go on after the last insert: their cost belongs to the rows as well.
    await quiet()
    const settledCpu = cpuOfTree(process.pid) - before
    await consumers.stop()
    return [
      { name: 'log to queryable, merges running', value: rows / cpu, unit: 'rows/CPU s' },
      { name: 'until merges have settled', value: rows / settledCpu, unit: 'rows/CPU s' },
      { name: 'by the clock', value: rows / seconds, unit: 'rows/s' },
      { name: 'bytes a row in the log', value: bytes / rows, unit: 'bytes' },
    ]
  } finally {
    await log.close()
    await clickhouse.close()
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

/** Until the process tree has rested for a second. */
async function quiet(): Promise<void> {
  for (let waited = 0, before = cpuOfTree(process.pid); waited < 30; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const now = cpuOfTree(process.pid)
    if (now - before < 0.05) return
    before = now
  }
}
