import type { Config } from '../../runtime/config.js'
import type { Program } from '../programs/program.js'
import type { LogOptions } from '../stores/log.js'
import { superviseGateway } from './children.js'

/**
 * Starts the gateway processes of a program, which share one port. Each writes to the log under a name of its own. They are drained side by side.
 *
 * @returns the address they listen on
 */
export async function startGateways(
  program: Program,
  config: Config,
  options: {
    readonly postgresUrl: string
    readonly secretKey: Uint8Array
    readonly log: LogOptions
    readonly instance: string
  },
): Promise<string | undefined> {
  const stopping: (() => Promise<void>)[] = []
  program.atEnd('gateways', async () => {
    const ended = await Promise.allSettled(stopping.map((stop) => stop()))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  })
  let url: string | undefined
  for (let worker = 1; worker <= config.ingestWorkers; worker++) {
    const gateway = await superviseGateway(
      {
        ...options,
        kind: 'start',
        name: `gateway-${worker}`,
        instance: `${options.instance}:${worker}`,
        host: config.host,
        // The first one finds the port, the others share it.
        port: url === undefined ? config.ingestPort : Number(new URL(url).port),
        exclusivePort: config.ingestWorkers === 1,
        logLevel: config.logLevel,
        faultPoint: config.faultPoint,
      },
      program.logger,
    )
    stopping.push(() => gateway.stop())
    program.stages.push(gateway)
    url ??= gateway.url
  }
  return url
}
