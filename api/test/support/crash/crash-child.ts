/**
 * The management API in a process of its own, for tests that kill it: reads its options from its first argument, prints its address, and ends itself with
 * SIGKILL at that pass of a fault point.
 */
import { openEmbeddedClickHouse } from '../../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../../clickhouse/migrate.js'
import { connectPostgres } from '../../../../postgres/driver/client.js'
import { createLogger } from '../../../../runtime/logger.js'
import { noClickHouse, startStage } from '../stage.js'
import { effectOperation } from './effect-operation.js'

export interface CrashChildOptions {
  readonly postgresUrl: string
  /** A folder of its own; undefined where nothing is asked of ClickHouse. */
  readonly clickhousePath?: string
  /** Where the operation that tests bring along has its effect. */
  readonly effectFolder?: string
  /** In hex. */
  readonly secretKey: string
  readonly killAt: string
  readonly pass: number
}

const options = JSON.parse(process.argv[2] ?? '{}') as CrashChildOptions
const { killAt, pass } = options
let passes = 0

/** Outcomes are measured there. */
async function openClickHouse(path: string) {
  const clickhouse = await openEmbeddedClickHouse({ path, readers: 1 })
  await migrateClickHouse(clickhouse)
  return clickhouse
}

const stage = await startStage(
  {
    sql: connectPostgres({ url: options.postgresUrl, applicationName: 'svc crash child', maxConnections: 5 }),
    clickhouse:
      options.clickhousePath === undefined ? noClickHouse : await openClickHouse(options.clickhousePath),
    secretKey: Buffer.from(options.secretKey, 'hex'),
  },
  {
    settlingHours: 0,
    ...(options.effectFolder === undefined ? {} : { testOnly: effectOperation(options.effectFolder) }),
    logger: createLogger('warn', 'crash child'),
    faultPoint(name) {
      if (name === killAt && ++passes === pass) process.kill(process.pid, 'SIGKILL')
    },
  },
)
process.stdout.write(`${stage.url}\n`)
