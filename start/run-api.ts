import { collectDefaultMetrics, Registry } from 'prom-client'
import { v7 } from 'uuid'
import { startApi } from '../api/server.js'
import type { Config } from '../runtime/config.js'
import { loadSecretKey } from '../runtime/secret.js'
import { faultPointOf } from './fault-point.js'
import { requireFreePort } from './ports.js'
import { type Program, runProgram } from './program.js'
import { connectDatabase, migrateDatabase, needed, openServer } from './stores.js'

/** The management API alone. What it says of the log it knows from Postgres, where the gateways report. Resolves with the exit code. */
export function runApi(config: Config): Promise<number> {
  const postgresUrl = needed('api', 'SVC_POSTGRES_URL', config.postgresUrl)
  const clickhouseUrl = needed('api', 'SVC_CLICKHOUSE_URL', config.clickhouseUrl)

  async function start(program: Program): Promise<string> {
    await requireFreePort('SVC_API_PORT', config.host, config.apiPort)
    const secretKey = loadSecretKey({ fromEnvironment: config.secretKey, dataDir: config.dataDir })
    const adminUrl = await program.openAdmin()
    await migrateDatabase(program, postgresUrl)
    const sql = connectDatabase(program, {
      url: postgresUrl,
      applicationName: 'svc api',
      maxConnections: 10,
    })
    const clickhouse = await openServer(program, clickhouseUrl, config)
    const registry = new Registry()
    registry.setDefaultLabels({ process: 'api' })
    collectDefaultMetrics({ register: registry, prefix: 'svc_' })
    const api = await startApi({
      sql,
      clickhouse,
      secretKey,
      host: config.host,
      port: config.apiPort,
      settlingHours: config.settlingHours,
      logger: program.logger,
      registry,
      now: Date.now,
      newId: v7,
      faultPoint: faultPointOf(config.faultPoint),
    })
    program.atEnd('api', () => api.stop())
    program.stages.push(api)
    return `api=${api.url} admin=${adminUrl}`
  }

  return runProgram(config, 'api', start)
}
