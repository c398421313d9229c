import type { Registry } from 'prom-client'
import type { EventLog } from '../log/port.js'
import type { Sql } from '../postgres/driver/client.js'
import { ClientAddresses } from '../runtime/client-address.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import type { Logger } from '../runtime/logger.js'
import { newRequestId } from '../runtime/request-id.js'
import type { Stage } from '../runtime/stage.js'
import { Authenticator } from './admit/authenticate.js'
import { DailyCaps } from './admit/daily-cap.js'
import { RateLimits } from './admit/rate-limit.js'
import { ReadRates } from './admit/read-rates.js'
import { StrangerRates } from './admit/stranger-rates.js'
import { WastedWork } from './admit/wasted-work.js'
import { AliasLinker } from './append/alias.js'
import { createAppender, LinkedKeys } from './append/append.js'
import { ErasedLinks } from './append/erased-links.js'
import { PlaceholderCounts } from './append/placeholder-counts.js'
import { createBodyEncoder } from './decode/encode-body.js'
import { hasBasic } from './formats/segment/basic-authorization.js'
import { GatewayLoad } from './http/exchange.js'
import { listenHttp } from './http/uws.js'
import { LargeBodies } from './large-bodies/large-bodies.js'
import { type GatewayMetrics, gatewayMetrics } from './metrics.js'
import { ProblemLog } from './problem-log.js'
import { checkLog, checkPostgres } from './readiness.js'
import { RequestHandler, type RequestHandlerOptions } from './request-handler.js'
import { aliasHandler } from './routes/alias.js'
import { eventsHandler } from './routes/events.js'
import { foreignRoutes } from './routes/foreign.js'
import { servingHandler } from './routes/serving.js'
import { wantsWarnings, warnedEventsHandler } from './routes/warned-events.js'
import { ServingStates } from './serving/serving-states.js'

interface GatewayOptions {
  readonly log: EventLog
  readonly sql: Sql
  readonly secretKey: Uint8Array
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** False if several gateways of one machine share the port. */
  readonly exclusivePort: boolean
  /** Proxies whose `X-Forwarded-For` is read. @default none */
  readonly trustedProxies?: readonly string[]
  readonly logger: Logger
  readonly registry: Registry
  /** Wall clock in milliseconds, used as `receivedAt`. */
  readonly now: () => number
  /** Milliseconds that only grow, for limits and caches. @default `performance.now` */
  readonly clock?: () => number
  /** Body bytes that may be reserved at one time, over all requests. @default 64 MiB */
  readonly maxBytesInFlight?: number
  /** Called at named moments, for crash tests. */
  readonly faultPoint?: (name: string) => void
}

const DEFAULT_BYTES_IN_FLIGHT = 64 * 1024 * 1024
const LINKED_KEYS = 200_000
const DRAIN_MS = 4_500

export async function startGateway(options: GatewayOptions): Promise<Stage> {
  const { log, sql, logger, registry, now } = options
  const clock = options.clock ?? (() => performance.now())
  const problems = new ProblemLog({ sql, logger, clock, now })
  const load = new GatewayLoad(
    options.maxBytesInFlight ?? DEFAULT_BYTES_IN_FLIGHT,
    (route, status, milliseconds) => metrics.answered(route, status, milliseconds / 1_000),
    clock,
    new ClientAddresses(options.trustedProxies ?? []),
    problems,
  )
  const metrics = gatewayMetrics(registry, () => load.bytesInFlight)
  const wasted = new WastedWork(clock)
  const rates = new RateLimits({ sql, logger, clock })
  const strangers = new StrangerRates(clock)
  const authenticator = new Authenticator({
    sql,
    secretKey: options.secretKey,
    logger,
    clock,
    now,
    strangers,
    name: newRequestId(now()),
  })
  const { routes, stop: stopRoutes } = createRoutes(options, { metrics, rates, wasted, clock })
  const requests = new RequestHandler({
    routes,
    authenticator,
    rates,
    wasted,
    reads: new ReadRates(clock),
    strangers,
    load,
    metrics,
    logger,
    now,
  })

  authenticator.start()
  const listener = await listenHttp({
    host: options.host,
    port: options.port,
    exclusivePort: options.exclusivePort,
    handle: (res, req) => requests.handle(res, req),
  }).catch(async (error: unknown) => {
    await Promise.all([authenticator.stop(), problems.stop(), stopRoutes()])
    throw error
  })
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    name: 'ingest',
    url: `http://${host}:${listener.port}`,
    checks: () => Promise.all([checkLog(log), checkPostgres(sql, authenticator)]),
    metrics: () => registry.getMetricsAsJSON(),
    stop: async () => {
      listener.stopListening()
      load.draining = true
      await withTimeout(DRAIN_MS, 'requests in flight', load.idle()).catch(() =>
        logger.warn(
          { requests: load.open },
          'Requests still open at the end of the drain; closing their connections',
        ),
      )
      listener.closeConnections()
      await Promise.all([authenticator.stop(), problems.stop(), stopRoutes()])
    },
  }
}

/** The routes and what only they use. */
function createRoutes(
  options: GatewayOptions,
  shared: {
    readonly metrics: GatewayMetrics
    readonly rates: RateLimits
    readonly wasted: WastedWork
    readonly clock: () => number
  },
): { readonly routes: RequestHandlerOptions['routes']; stop(): Promise<void> } {
  const { log, sql, logger, now } = options
  const { metrics, rates, wasted, clock } = shared
  const linked = new LinkedKeys(LINKED_KEYS)
  const erased = new ErasedLinks({ sql, linked, logger })
  const append = createAppender({
    log,
    linked,
    durable: (events) => metrics.accepted(events),
    faultPoint: options.faultPoint,
  })
  const encode = createBodyEncoder(log)
  const large = new LargeBodies({ log, logger })
  const caps = new DailyCaps({ sql, counts: 'events', logger, now })
  const exposureCaps = new DailyCaps({ sql, counts: 'exposures', logger, now })
  const placeholders = new PlaceholderCounts({ sql, logger })
  const aliases = new AliasLinker({ log, sql, linked })
  const serving = new ServingStates({ sql, logger, clock, now })
  const onPlaceholders = (workspaceId: string, events: number): void => {
    metrics.placeholders(events)
    placeholders.add(workspaceId, events)
  }
  const limits = { rates, wasted, caps, exposureCaps }
  const events = { log, large, append, ...limits, onPlaceholders, logger }
  const plain = eventsHandler(events, encode)
  const alias = aliasHandler({ aliases, large, wasted, logger })
  return {
    routes: [
      { path: '/v1/events', route: 'events', isFor: (_, req) => !wantsWarnings(req), handler: plain },
      { path: '/v1/events', route: 'events', handler: warnedEventsHandler(events, plain) },
      { path: '/v1/alias', route: 'alias', isFor: (head) => !hasBasic(head), handler: alias },
      { path: '/v1/serving', route: 'serving', read: servingHandler(serving) },
      ...foreignRoutes(events, (messages) => metrics.refusedBeside(messages)),
    ],
    stop: async () => {
      aliases.stop()
      await Promise.all([caps, exposureCaps, placeholders, serving, large, erased].map((part) => part.stop()))
    },
  }
}
