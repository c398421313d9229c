import { migrateClickHouse } from '../../clickhouse/migrate.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { openRemoteClickHouse } from '../../clickhouse/remote/open.js'
import { registerLog } from '../../consumers/operations/register-log.js'
import type { EventLog } from '../../log/port.js'
import { connectPostgres, type Sql } from '../../postgres/driver/client.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { type Config, ConfigError, type StageName } from '../../runtime/config.js'
import type { Program } from '../lifecycle/program.js'
import { type LogOptions, openLog } from './log.js'

/** A setting that a stage cannot run without. @throws ConfigError if it is missing */
export function needed<T>(stage: StageName, variable: string, value: T | undefined): T {
  if (value === undefined)
    throw new ConfigError(
      variable,
      `must be set to run the ${stage} stage alone: embedded stores need \`npm start\``,
    )
  return value
}

/**
 * Brings the schema up to date, over its own connection: a change to a large table may take longer than a
 * request may.
 */
export async function migrateDatabase(program: Program, url: string): Promise<void> {
  await program.waitFor('postgres', async () => {
    const sql = connectPostgres({
      url,
      applicationName: 'svc migrations',
      maxConnections: 1,
      statementMs: 600_000,
    })
    try {
      await migratePostgres(sql)
    } finally {
      await sql.end({ timeout: 2 })
    }
  })
}

/** Opens connections that are closed at the end of the program. */
export function connectDatabase(
  program: Program,
  options: { readonly url: string; readonly applicationName: string; readonly maxConnections: number },
): Sql {
  const sql = connectPostgres({ ...options, statementMs: 10_000 })
  program.onStop('postgres connections', () => sql.end({ timeout: 2 }))
  return sql
}

/** Opens a ClickHouse server, brings its schema up to date, and closes it at the end of the program. */
export async function openServer(
  program: Program,
  url: string,
  {
    clickhouseCluster: cluster,
    clickhouseLinks: links,
  }: Pick<Config, 'clickhouseCluster' | 'clickhouseLinks'>,
): Promise<ClickHouse> {
  const clickhouse = await program.waitFor('clickhouse', async () => {
    const opened = await openRemoteClickHouse({ url, cluster, links })
    try {
      await migrateClickHouse(opened)
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  })
  program.onStop('clickhouse', () => clickhouse.close())
  return clickhouse
}

/**
 * Opens the log for reading, creates it if it does not exist, and registers it in the database. Waits until
 * the previous log is drained. The caller closes it.
 */
export function openRegisteredLog(program: Program, sql: Sql, options: LogOptions): Promise<EventLog> {
  return program.waitFor('log', async () => {
    const opened = await openLog(options, { logger: program.logger })
    try {
      await registerLog(sql, opened)
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  })
}
