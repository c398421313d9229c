import { openSecretKey } from '../../postgres/tables/hashing-key.js'
import type { Config } from '../../runtime/config.js'
import { loadSecretKeys } from '../../runtime/secret-key.js'
import { requireFreePort } from '../lifecycle/ports.js'
import { type Program, runProgram } from '../lifecycle/program.js'
import { processRegistry } from '../lifecycle/registry.js'
import { connectDatabase, migrateDatabase, needed, openServer } from '../stores/stores.js'
import { startApiStage } from './api-stage.js'

/**
 * Runs the management API alone. It knows the state of the log from Postgres, where the gateways report.
 *
 * @returns the exit code
 */
export function runApi(config: Config): Promise<number> {
  const postgresUrl = needed('api', 'SVC_POSTGRES_URL', config.postgresUrl)
  const clickhouseUrl = needed('api', 'SVC_CLICKHOUSE_URL', config.clickhouseUrl)

  async function start(program: Program): Promise<string> {
    await requireFreePort('SVC_API_PORT', config.host, config.apiPort)
    const configuredKeys = loadSecretKeys(config)
    const adminUrl = await program.openAdmin()
    await migrateDatabase(program, postgresUrl)
    const sql = connectDatabase(program, {
      url: postgresUrl,
      applicationName: 'svc api',
      maxConnections: 10,
    })
    const secretKey = await program.waitFor('postgres', () => openSecretKey(sql, configuredKeys))
    const clickhouse = await openServer(program, clickhouseUrl, config)
    const api = await startApiStage(program, config, {
      sql,
      clickhouse,
      secretKey,
      logger: program.logger,
      registry: processRegistry('api'),
    })
    return `api=${api.url} admin=${adminUrl}`
  }

  return runProgram(config, 'api', start)
}
