import { join } from 'node:path'
import { startConsumers } from '../../consumers/start.js'
import type { Config } from '../../runtime/config.js'
import { lockDataDirectory } from '../../runtime/data-directory.js'
import { type Program, runProgram } from '../lifecycle/program.js'
import { processRegistry } from '../lifecycle/registry.js'
import { faultPointOf } from '../processes/fault-point.js'
import { connectDatabase, migrateDatabase, needed, openRegisteredLog, openServer } from '../stores/stores.js'

/**
 * Runs the consumers alone. They share the partitions with all other running consumers.
 *
 * @returns the exit code
 */
export function runConsumers(config: Config): Promise<number> {
  const postgresUrl = needed('consumers', 'SVC_POSTGRES_URL', config.postgresUrl)
  const kafka = needed('consumers', 'SVC_KAFKA_BROKERS', config.kafka)
  const clickhouseUrl = needed('consumers', 'SVC_CLICKHOUSE_URL', config.clickhouseUrl)

  async function start(program: Program): Promise<string> {
    const adminUrl = await program.openAdmin()
    await migrateDatabase(program, postgresUrl)
    const sql = connectDatabase(program, {
      url: postgresUrl,
      applicationName: 'svc consumers',
      maxConnections: 6,
    })
    const clickhouse = await openServer(program, clickhouseUrl, config)
    const log = await openRegisteredLog(program, sql, { kind: 'kafka', kafka })
    program.onStop('log', () => log.close())
    const registry = processRegistry('consumers')
    const consumers = await startConsumers({
      log,
      sql,
      clickhouse,
      dedupMemoryBytes: config.dedupMemoryMb * 1_048_576,
      dedupFolder: lockedFolder(program, join(config.dataDir, 'dedup')),
      logger: program.logger,
      registry,
      now: Date.now,
      faultPoint: faultPointOf(config.faultPoint),
    })
    program.onStop('consumers', () => consumers.stop())
    program.stages.push(consumers)
    return `admin=${adminUrl}`
  }

  return runProgram(config, 'consumers', start)
}

/** Undefined if another process has the folder, or if it cannot be written. */
function lockedFolder(program: Program, folder: string): string | undefined {
  try {
    program.onStop('lock', lockDataDirectory(folder))
    return folder
  } catch (error) {
    program.logger.warn(
      { err: error, folder },
      'Folder is not available; deduplication keeps ids in memory only, and a restart reads them from ClickHouse',
    )
    return undefined
  }
}
