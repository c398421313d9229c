import { Registry } from 'prom-client'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { createLogger } from '../../../runtime/logger.js'
import { startApi } from '../../server.js'

type Options = Parameters<typeof startApi>[0]

/** For what asks nothing of ClickHouse: whoever asks all the same is told so. */
export const noClickHouse = new Proxy({} as ClickHouse, {
  get(_target, name) {
    throw new Error(`this test has no ClickHouse to ask for ${String(name)}`)
  },
})

/** One more process of the management API, in this one, on a free port; whoever starts it stops it. */
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
    // Tests look at what is kept, and ask where they want it to be measured.
    refreshResults: false,
    liveTurnMs: 100,
    ...more,
  })
}
