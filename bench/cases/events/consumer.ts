import { join } from 'node:path'
import { Registry } from 'prom-client'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse, statementsOf } from '../../../clickhouse/migrate.js'
import { countVocabulary } from '../../../clickhouse/queries/vocabulary.js'
import { parseRecord } from '../../../consumers/blocks/parse-record.js'
import { readBlock } from '../../../consumers/blocks/read-rows.js'
import { registerLog } from '../../../consumers/operations/register-log.js'
import { startConsumers } from '../../../consumers/start.js'
import { decodeEvents } from '../../../ingest/decode/decode.js'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords } from '../../../log/record.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { createLogger } from '../../../runtime/logger.js'
import { readMigrations } from '../../../runtime/migrations.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { type Cost, startCounting } from '../../support/cost/cost.js'
import { leastCpu } from '../../support/cost/cpu.js'
import { cpuOfTree } from '../../support/cost/process-tree.js'
import type { Figure } from '../../support/figures.js'
import { makeBody, type RequestBody, renewIds } from '../../support/load/bodies.js'

const WORKSPACE = '01980000-0000-7000-8000-000000000001'

const LOG_SHAPE = { partitions: 1, identityPartitions: 1 }
/** Requests per block of the yardstick, and number of blocks: as large as blocks become under load. */
const BLOCK_REQUESTS = 150
const PLAIN_BLOCKS = 3
/** A question costs 2 to 4 ms of CPU, which counts with the rest. */
const POLL_MS = 500

/**
 * Consumers alone: from a full log until every row can be queried, with merges running. The yardstick inserts
 * the same rows into one plain table without views, merges stopped.
 */
export async function consumerCase(folder: string, rows: number): Promise<Figure[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 6 })
  const plainBefore = await plainTableRate(join(folder, 'plain-before'))
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse') })
  const log = await openEmbeddedLog({ path: join(folder, 'log'), ...LOG_SHAPE })
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
        const records = recordsOf(body, keys)
        bytes += records.reduce((sum, { payload }) => sum + payload.length, 0)
        group.push(log.append(records))
      }
      await Promise.all(group)
    }
    const stored = async (): Promise<number> => (await countVocabulary(clickhouse, WORKSPACE)).events
    const counting = startCounting(process.pid)
    const consumers = await startConsumers({
      log,
      sql,
      clickhouse,
      dedupMemoryBytes: 1024 * 1024 * 1024,
      logger: createLogger('error', 'bench'),
      registry: new Registry(),
      now: Date.now,
    })
    while ((await stored()) < rows) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const cost = counting.cost(rows)
    // Merges continue after the last insert, and their cost belongs to the rows.
    await waitUntilIdle()
    const settled = counting.cost(rows)
    await consumers.stop()
    await clickhouse.close()
    // Measured before and after, because other work on the machine changes what a CPU second is worth.
    const plain = (plainBefore + (await plainTableRate(join(folder, 'plain-after')))) / 2
    const toPlainTable = (cost: Cost) => ({
      value: rows / cost.tree,
      unit: 'rows/CPU s',
      ratio: rows / cost.tree / plain,
      ratioTo: 'one plain table',
      cost,
    })
    return [
      { name: 'rows into one plain table', value: plain, unit: 'rows/CPU s' },
      { name: 'log to queryable, merges running', ...toPlainTable(cost) },
      { name: 'until merges have settled', ...toPlainTable(settled) },
      { name: 'by the clock', value: rows / cost.seconds, unit: 'rows/s' },
      { name: 'bytes a row in the log', value: bytes / rows, unit: 'bytes' },
    ]
  } finally {
    await log.close()
    await clickhouse.close()
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

/** Rows per CPU second of the engine alone. */
async function plainTableRate(path: string): Promise<number> {
  const clickhouse = await openEmbeddedClickHouse({ path })
  try {
    const [first] = readMigrations(join(packageRoot(), 'clickhouse', 'schema'))
    const [events = ''] = statementsOf({ sql: first?.sql ?? '' }, clickhouse.schema)
    await clickhouse.command(events)
    await clickhouse.command('SYSTEM STOP MERGES')
    const keys = workspaceHashKeys(new Uint8Array(32).fill(5), WORKSPACE)
    const records = Array.from({ length: BLOCK_REQUESTS }, (_, seed) =>
      recordsOf(makeBody(seed), keys),
    ).flat()
    const parsed = records.map(({ payload }, offset) => parseRecord({ offset, payload }))
    const block = readBlock(parsed, 0, parsed.length)
    const insert = async () => {
      for (let token = 0; token < PLAIN_BLOCKS; token++)
        await clickhouse.insertEvents({
          ...block.chunks(),
          logId: WORKSPACE,
          logPartition: 0,
          token: `${performance.now()}`,
        })
    }
    await insert()
    const { insert: cpuMs } = await leastCpu(2, { insert })
    return (PLAIN_BLOCKS * block.rowCount) / (cpuMs / 1_000)
  } finally {
    await clickhouse.close()
  }
}

function recordsOf(body: RequestBody, keys: ReturnType<typeof workspaceHashKeys>) {
  const decoded = decodeEvents(body.bytes)
  if (!decoded.ok) throw new Error('the body of the bench does not validate')
  return encodeRecords(
    { workspaceId: WORKSPACE, keyId: WORKSPACE, receivedAt: Date.now(), ...decoded.value },
    keys,
    LOG_SHAPE,
    () => false,
  ).records
}

/** Waits until the process tree has rested for a second. */
async function waitUntilIdle(): Promise<void> {
  for (let waited = 0, before = cpuOfTree(process.pid); waited < 30; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const now = cpuOfTree(process.pid)
    if (now - before < 0.05) return
    before = now
  }
}
