import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { registerLog } from '../../../consumers/operations/register-log.js'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { ensureDemoWorkspace } from '../../../postgres/tables/demo.js'
import { setQuota } from '../../../postgres/tables/workspaces.js'
import { createLogger } from '../../../runtime/logger.js'
import { superviseGateway } from '../../../start/processes/supervisor.js'
import { type LogOptions, openLog } from '../../../start/stores/log.js'
import { type Cost, startCounting } from '../cost/cost.js'
import { cpuOfTree } from '../cost/process-tree.js'
import { type LoadOptions, type LoadResult, runLoad } from '../load/run-load.js'

interface Measured {
  readonly result: LoadResult
  /** CPU seconds of the gateway's process, all threads. */
  readonly cpu: number
  /** The same with Postgres and everything else this program started, without the load generator. */
  readonly treeCpu: number
  readonly cost: Cost
}

export type Load = Pick<
  LoadOptions,
  'connections' | 'eventsPerRequest' | 'seconds' | 'requestsPerSecond' | 'gzip'
>

/**
 * A gateway without a consumer: HTTP in, durable in the log. This program removes records as a consumer does
 * after storing, so that the log reuses its pages: a file that only grows costs several times as much.
 */
export interface GatewayBench {
  /**
   * Each load gets its own gateway process and log, after two seconds of warm-up. Defaults to an embedded
   * log.
   */
  measure(load: Load, log?: LogOptions): Promise<Measured>
  stop(): Promise<void>
}

/** @param folder an empty one */
export async function startGatewayBench(folder: string): Promise<GatewayBench> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 2 })
  const secretKey = new Uint8Array(32).fill(5)
  await migratePostgres(sql)
  const keys = await ensureDemoWorkspace(sql, secretKey, () => {})
  if (keys === undefined) throw new Error('the bench needs an empty folder')
  // A server key's limits are far below a gateway's capacity.
  await setQuota(sql, {
    workspaceId: keys.workspaceId,
    requestsPerSecond: 1_000_000,
    eventsPerSecond: 100_000_000,
  })
  const embedded = {
    kind: 'embedded',
    path: join(folder, 'log'),
    partitions: 1,
    identityPartitions: 1,
  } as const
  const measure = async (load: Load, shape: LogOptions = embedded): Promise<Measured> => {
    await beginLog(sql, shape)
    const removal = shape.kind === 'embedded' ? await removeWhatIsWritten(shape) : NOTHING_TO_REMOVE
    const gateway = await superviseGateway(
      {
        kind: 'start',
        name: 'gateway-1',
        instance: 'bench',
        log: shape,
        postgresUrl: postgres.url,
        secretKey,
        host: '127.0.0.1',
        port: 0,
        exclusivePort: true,
        trustedProxies: [],
        logLevel: 'error',
        tracing: undefined,
        faultPoint: undefined,
      },
      createLogger('error', 'bench'),
    )
    try {
      const port = Number(new URL(gateway.url ?? '').port)
      return await measureProcess(childRunning('gateway-process.js'), port, keys.serverKey, load)
    } finally {
      await gateway.stop()
      await removal.stop()
      rmSync(join(folder, 'log'), { recursive: true, force: true })
    }
  }
  return {
    measure,
    async stop() {
      await sql.end({ timeout: 1 })
      await postgres.stop()
    },
  }
}

/** Puts a load on a server that this program started, and counts its CPU. */
export async function measureProcess(pid: number, port: number, key: string, load: Load): Promise<Measured> {
  const target = { ...load, host: '127.0.0.1', port, key }
  await runLoad({ ...target, seconds: 2, seed: 1 })
  const before = cpuOfTree(pid)
  const counting = startCounting(process.pid)
  const result = await runLoad({ ...target, seed: 2 })
  const cpu = cpuOfTree(pid) - before
  const cost = counting.cost(result.accepted, result.cpuSeconds)
  if (result.refused > 0) throw new Error(`${result.refused} requests were refused`)
  return { result, cpu, treeCpu: cost.tree, cost }
}

function childRunning(file: string): number {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
      if (parent === process.pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(file))
        return Number(name)
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error('the gateway process is not there')
}

/** A gateway writes only to a registered log that is not drained. The previous log's content is not read. */
async function beginLog(sql: Sql, shape: LogOptions): Promise<void> {
  const log = await openLog(shape, { logger: createLogger('error', 'bench') })
  try {
    await sql`update logs set drained_at = now() where drained_at is null`
    await registerLog(sql, log)
  } finally {
    await log.close()
  }
}

const REMOVE_EVERY_MS = 50
const NOTHING_TO_REMOVE = { stop: async () => {} }

async function removeWhatIsWritten(shape: LogOptions): Promise<{ stop(): Promise<void> }> {
  const log = await openLog(shape, { logger: createLogger('error', 'bench') })
  let stopping = false
  const removing = (async () => {
    while (!stopping) {
      for (let partition = 0; partition < log.partitions + log.identityPartitions; partition++)
        await log.trim(partition, await log.end(partition))
      await new Promise((resolve) => setTimeout(resolve, REMOVE_EVERY_MS))
    }
  })()
  return {
    async stop() {
      stopping = true
      await removing
      await log.close()
    },
  }
}
