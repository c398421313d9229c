import { connectPostgres } from '../../postgres/driver/client.js'
import { openSecretKey } from '../../postgres/tables/hashing-key.js'
import { availableCpus } from '../../runtime/available-cpus.js'
import type { Config } from '../../runtime/config.js'
import { loadSecretKeys } from '../../runtime/secret-key.js'
import { requireFreePort } from '../lifecycle/ports.js'
import { type Program, runProgram } from '../lifecycle/program.js'
import { gatewayWorkers, startGateways } from '../processes/gateways.js'
import { instanceOf } from '../stores/log.js'
import { migrateDatabase, needed, openRegisteredLog } from '../stores/stores.js'

/**
 * Runs the ingestion gateways alone: SVC_INGEST_WORKERS processes, one for each processor by default.
 *
 * @returns the exit code
 */
export function runIngest(config: Config): Promise<number> {
  const postgresUrl = needed('ingest', 'SVC_POSTGRES_URL', config.postgresUrl)
  const kafka = needed('ingest', 'SVC_KAFKA_BROKERS', config.kafka)

  async function start(program: Program): Promise<string> {
    await requireFreePort('SVC_INGEST_PORT', config.host, config.ingestPort)
    const configuredKeys = loadSecretKeys(config)
    const adminUrl = await program.openAdmin()
    await migrateDatabase(program, postgresUrl)
    const instance = instanceOf(config)
    const log = { kind: 'kafka', kafka } as const
    // Each gateway opens its own connections.
    const sql = connectPostgres({ url: postgresUrl, applicationName: 'svc ingest', maxConnections: 1 })
    let secretKey: Uint8Array
    try {
      secretKey = await program.waitFor('postgres', () => openSecretKey(sql, configuredKeys))
      const opened = await openRegisteredLog(program, sql, log)
      await opened.close()
    } finally {
      await sql.end({ timeout: 2 })
    }
    const url = await startGateways(program, config, {
      postgresUrl,
      secretKey,
      log,
      instance,
      workers: gatewayWorkers(availableCpus(), 'nothing'),
    })
    return `ingest=${url} admin=${adminUrl}`
  }

  return runProgram(config, 'ingest', start)
}
