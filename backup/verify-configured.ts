import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sql } from '../postgres/driver/client.js'
import type { Config } from '../runtime/config.js'
import { currentLogOf, openLogCopy } from './log-copy.js'
import { BackupError } from './manifest.js'
import { withSnapshot } from './snapshot.js'
import { type Verification, type VerifiedStores, verifyStores } from './verify.js'

/** Verifies the stores of a configuration. Embedded ones are read from a snapshot: svc may have them open. */
export async function verifyConfigured(sql: Sql, config: Config): Promise<Verification> {
  const { clickhouseUrl, clickhouseCluster: cluster, kafka, postgresUrl, dataDir } = config
  if (clickhouseUrl === undefined && kafka === undefined && postgresUrl === undefined)
    return await verifyEmbedded(sql, dataDir)
  if (clickhouseUrl === undefined || kafka === undefined || postgresUrl === undefined)
    throw new BackupError(
      'verify needs all three stores embedded, or all of SVC_POSTGRES_URL, SVC_CLICKHOUSE_URL and SVC_KAFKA_BROKERS',
    )
  const { openRemoteClickHouse } = await import('../clickhouse/remote/open.js')
  const { openKafkaLog, toKafkaLogOptions } = await import('../log/kafka/log.js')
  const clickhouse = await openRemoteClickHouse({ url: clickhouseUrl, cluster })
  try {
    const log = await openKafkaLog({ ...toKafkaLogOptions(kafka), instance: undefined })
    return await verifyThenClose({ sql, clickhouse, log, logIsCopy: false })
  } finally {
    await clickhouse.close()
  }
}

function verifyEmbedded(sql: Sql, dataDir: string): Promise<Verification> {
  return withSnapshot({ sql, dataDir }, async ({ tx, clickhouse: path, log: source }) => {
    const folder = join(dirname(path), 'log')
    mkdirSync(folder)
    await source.copyTo(folder)
    const { openEmbeddedClickHouse } = await import('../clickhouse/embedded/open.js')
    const clickhouse = await openEmbeddedClickHouse({ path })
    try {
      const log = await openLogCopy(folder, await currentLogOf(tx))
      return await verifyThenClose({ sql: tx, clickhouse, log, logIsCopy: true })
    } finally {
      await clickhouse.close()
    }
  })
}

async function verifyThenClose(stores: VerifiedStores): Promise<Verification> {
  try {
    return await verifyStores(stores)
  } finally {
    await stores.log.close()
  }
}
