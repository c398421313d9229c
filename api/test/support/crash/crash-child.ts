/**
 * The management API in a process that tests kill: reads options from its first argument, prints its address,
 * and kills itself at the given pass of a fault point.
 */
import { openEmbeddedClickHouse } from '../../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../../clickhouse/migrate.js'
import { connectPostgres } from '../../../../postgres/driver/client.js'
import { createLogger } from '../../../../runtime/logger.js'
import { noClickHouse, startStage } from '../stage.js'
import { effectOperation } from './effect-operation.js'

export interface CrashChildOptions {
  readonly postgresUrl: string
  /** Its folder; undefined if ClickHouse is not used. */
  readonly clickhousePath?: string
  /** The folder of the test operation's effects. */
  readonly effectFolder?: string
  /** Hexadecimal. */
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
    hooks: { allowPrivate: true },
    ...(options.effectFolder === undefined ? {} : { testOnly: effectOperation(options.effectFolder) }),
    logger: createLogger('warn', 'crash child'),
    faultPoint(name) {
      if (name === killAt && ++passes === pass) process.kill(process.pid, 'SIGKILL')
    },
  },
)
process.stdout.write(`${stage.url}\n`)
