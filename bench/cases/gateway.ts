import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isEventShape, isEventsRequestShape } from '../../ingest/validate.js'
import { connectPostgres } from '../../postgres/client.js'
import { ensureDemoWorkspace } from '../../postgres/demo.js'
import { startEmbeddedPostgres } from '../../postgres/embedded.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { setQuota } from '../../postgres/workspaces.js'
import { createLogger } from '../../runtime/logger.js'
import { superviseGateway } from '../../start/children.js'
import { makeBody } from '../support/bodies.js'
import type { Figure } from '../support/figures.js'
import { percentile } from '../support/figures.js'
import { cpuOfTree } from '../support/process-tree.js'
import { runLoad } from '../support/run-load.js'

/**
 * The gateway alone: HTTP in, durable in the log, nobody reading it. Beside it the floor of any gateway that parses JSON: `JSON.parse` and ajv on the same bodies, nothing
 * else.
 */
export async function gatewayCase(folder: string, seconds: number): Promise<Figure[]> {
  const bare = bareRate(seconds / 2)
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 2 })
  const secretKey = new Uint8Array(32).fill(5)
  try {
    await migratePostgres(sql)
    const keys = await ensureDemoWorkspace(sql, secretKey, () => {})
    if (keys === undefined) throw new Error('the bench needs an empty folder')
    // The limits of a server key are far below what a gateway takes.
    await setQuota(sql, {
      workspaceId: keys.workspaceId,
      requestsPerSecond: 1_000_000,
      eventsPerSecond: 100_000_000,
    })
    const start = () =>
      superviseGateway(
        {
          kind: 'start',
          name: 'gateway-1',
          logPath: join(folder, 'log'),
          partitions: 1,
          identityPartitions: 1,
          postgresUrl: postgres.url,
          secretKey,
          host: '127.0.0.1',
          port: 0,
          exclusivePort: true,
          logLevel: 'error',
          faultPoint: undefined,
        },
        createLogger('error', 'bench'),
      )
    const measure = async (connections: number, eventsPerRequest: number) => {
      const gateway = await start()
      const port = Number(new URL(gateway.url ?? '').port)
      const load = { host: '127.0.0.1', port, key: keys.serverKey, connections, eventsPerRequest }
      await runLoad({ ...load, seconds: 2, seed: 1 })
      const pid = gatewayPid()
      const before = cpuOfTree(pid)
      const result = await runLoad({ ...load, seconds, seed: 2 })
      const cpu = cpuOfTree(pid) - before
      await gateway.stop()
      rmSync(join(folder, 'log'), { recursive: true, force: true })
      if (result.refused > 0) throw new Error(`${result.refused} requests were refused`)
      return { result, cpu }
    }
    const batches = await measure(8, 500)
    const singles = await measure(256, 1)
    const perCpu = batches.result.accepted / batches.cpu
    return [
      { name: 'JSON.parse + ajv alone', value: bare, unit: 'events/CPU s' },
      {
        name: '500-event batches, durable',
        value: perCpu,
        unit: 'events/CPU s',
        ratio: perCpu / bare,
        ratioTo: 'JSON.parse + ajv',
      },
      {
        name: 'the same, by the clock',
        value: batches.result.accepted / batches.result.seconds,
        unit: 'events/s',
      },
      { name: 'p99 of a batch', value: percentile(batches.result.latenciesMs, 0.99), unit: 'ms' },
      { name: 'load generator', value: batches.result.cpuSeconds, unit: 'CPU s' },
      {
        name: 'single events, 256 connections',
        value: singles.result.accepted / singles.cpu,
        unit: 'events/CPU s',
      },
      { name: 'p99 of a single event', value: percentile(singles.result.latenciesMs, 0.99), unit: 'ms' },
    ]
  } finally {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}

/** The gateway is the one child of this process that runs the gateway's file. */
function gatewayPid(): number {
  const found = childrenRunning('gateway-process.js')
  if (found === undefined) throw new Error('the gateway process is not there')
  return found
}

function bareRate(seconds: number): number {
  const bodies = Array.from({ length: 20 }, (_, i) => makeBody(i).bytes)
  let events = 0
  const before = process.cpuUsage()
  const end = performance.now() + seconds * 1_000
  for (let i = 0; performance.now() < end; i++) {
    const body = bodies[i % bodies.length]
    if (body === undefined) continue
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    if (!isEventsRequestShape(parsed) || !parsed.events.every((event) => isEventShape(event)))
      throw new Error('the body of the bench does not validate')
    events += 500
  }
  const cpu = process.cpuUsage(before)
  return events / ((cpu.user + cpu.system) / 1e6)
}

function childrenRunning(file: string): number | undefined {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
      if (parent === process.pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(file))
        return Number(name)
    } catch {
      // Ended meanwhile.
    }
  }
  return undefined
}
