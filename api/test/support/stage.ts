import { Registry } from 'prom-client'
import { newId } from '../../../postgres/tables/workspaces.js'
import { createLogger } from '../../../runtime/logger.js'
import { startApi } from '../../server.js'

type Options = Parameters<typeof startApi>[0]

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
    ...more,
  })
}
