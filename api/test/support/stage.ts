import { Registry } from 'prom-client'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { createLogger } from '../../../runtime/logger.js'
import { startApi } from '../../server.js'

type Options = Parameters<typeof startApi>[0]

/** For tests that do not use ClickHouse: any use throws. */
export const noClickHouse = new Proxy({} as ClickHouse, {
  get(_target, name) {
    throw new Error(`this test has no ClickHouse to ask for ${String(name)}`)
  },
})

/** Another management API inside this process, on a free port; the caller stops it. */
export function startStage(
  { sql, clickhouse, secretKey }: Pick<Options, 'sql' | 'clickhouse' | 'secretKey'>,
  more: Partial<Options> = {},
): ReturnType<typeof startApi> {
  return startApi({
    sql,
    clickhouse,
    secretKey,
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('silent', 'api test'),
    registry: new Registry(),
    now: Date.now,
    newId,
    // Tests trigger measurements themselves.
    refreshResults: false,
    liveTurnMs: 100,
    ...more,
  })
}
