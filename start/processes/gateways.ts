import { type Config, MAX_WORKERS } from '../../runtime/config.js'
import type { Program } from '../lifecycle/program.js'
import type { LogOptions } from '../stores/log.js'
import { superviseGateway } from './supervisor.js'

/**
 * More would only wait for the stores on the same machine: two accept more than a consumer and an engine on
 * all of it can store.
 */
const MAX_BESIDE_STORES = 4

/**
 * Default number of gateway processes: one for each processor. If consumers and stores run beside them, half
 * of the processors, and at most four; an idle one needs 20 MB.
 */
export function gatewayWorkers(processors: number, beside: 'nothing' | 'stores'): number {
  return beside === 'nothing'
    ? Math.min(processors, MAX_WORKERS)
    : Math.min(Math.max(1, Math.floor(processors / 2)), MAX_BESIDE_STORES)
}

export interface GatewaysOptions {
  readonly postgresUrl: string
  readonly secretKey: Uint8Array
  readonly log: LogOptions
  readonly instance: string
  /** Used unless the configuration gives a number. */
  readonly workers: number
}

/**
 * Starts the gateway processes of a program, which share one port and stop in parallel. Each appends to the
 * log under its own name.
 *
 * @returns the address they listen on
 */
export function startGateways(
  program: Program,
  config: Config,
  options: GatewaysOptions,
): Promise<string | undefined> {
  const stopping: (() => Promise<void>)[] = []
  const starting = startEach(program, config, options, stopping)
  program.onStop('gateways', async () => {
    // If another part fails, a gateway may still be starting.
    await starting.catch(() => {})
    const ended = await Promise.allSettled(stopping.map((stop) => stop()))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  })
  return starting
}

async function startEach(
  program: Program,
  config: Config,
  options: GatewaysOptions,
  stopping: (() => Promise<void>)[],
): Promise<string | undefined> {
  const { workers: byDefault, ...shared } = options
  const workers = config.ingestWorkers ?? byDefault
  let url: string | undefined
  for (let worker = 1; worker <= workers; worker++) {
    const gateway = await superviseGateway(
      {
        ...shared,
        kind: 'start',
        name: `gateway-${worker}`,
        instance: `${options.instance}:${worker}`,
        host: config.host,
        // The first one chooses the port, the others share it.
        port: url === undefined ? config.ingestPort : Number(new URL(url).port),
        exclusivePort: workers === 1,
        trustedProxies: config.trustedProxies,
        logLevel: config.logLevel,
        tracing: config.tracing,
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
