import { v7 } from 'uuid'
import { type ApiOptions, startApi } from '../../api/server.js'
import type { Config } from '../../runtime/config.js'
import type { Stage } from '../../runtime/stage.js'
import type { Program } from '../lifecycle/program.js'
import { faultPointOf } from '../processes/fault-point.js'

/**
 * Starts the management API as a stage of a program, which drains it at the end.
 *
 * @param ingestUrl where this program's own gateways listen, once they do
 */
export function startApiStage(
  program: Program,
  config: Config,
  own: Pick<ApiOptions, 'sql' | 'clickhouse' | 'log' | 'secretKey' | 'logger' | 'registry' | 'signInCodes'>,
  ingestUrl?: () => string | undefined,
): Promise<Stage> {
  const api = startApi({
    ...own,
    host: config.host,
    port: config.apiPort,
    trustedProxies: config.trustedProxies,
    ingestUrl: () => config.publicIngestUrl ?? ingestUrl?.(),
    publicUrl: config.publicUrl,
    hooks: { allowPrivate: config.hooksAllowPrivate },
    generator: config.llm === undefined ? { kind: 'rules' } : { kind: 'llm', ...config.llm },
    exports: config.exports,
    oidc: config.oidc,
    settlingHours: config.settlingHours,
    queriesPerWorkspace: config.apiQueriesPerWorkspace,
    requestsPerSecond: config.apiRequestsPerSecond,
    resultsMaxAgeSeconds: config.resultsMaxAgeSeconds,
    now: Date.now,
    newId: v7,
    embeddedPostgres: config.postgresUrl === undefined,
    faultPoint: faultPointOf(config.faultPoint),
    stepFaultPoint: faultPointOf(config.faultPoint),
  })
  return program.startStage('api', api)
}
