import { fileURLToPath } from 'node:url'
import HyperExpress from 'hyper-express'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../clickhouse/port.js'
import { listLargeVocabularies } from '../clickhouse/queries/vocabulary.js'
import type { EventLog } from '../log/port.js'
import { EXPORT_SWEEP_MS, exportSweep, presentEvents } from '../management/events/index.js'
import { removeOldDeliveries } from '../management/hooks/index.js'
import type { JobDefinition } from '../management/jobs/definition.js'
import { JobQueue } from '../management/jobs/job-queue.js'
import { expireLeases } from '../management/jobs/jobs-table.js'
import { JobMetrics } from '../management/jobs/metrics.js'
import type { JobFaultPoint } from '../management/jobs/run-job.js'
import { LiveEvents } from '../management/live-events/index.js'
import { SWEEP_PRIVACY_MS, sweepPrivacy } from '../management/privacy/index.js'
import { ModelMetrics } from '../management/proposals/index.js'
import { WATCH_MS, Watch } from '../management/pull-requests/index.js'
import { Refusals } from '../management/refusals.js'
import { connectedRepositories } from '../management/repositories/index.js'
import { REFRESH_MS, refreshDue } from '../management/results/index.js'
import type { ExportSettings, GeneratorSettings, HookSettings, Services } from '../management/services.js'
import { IdentityProvider, type IdentityProviderSettings, SignInCodes } from '../management/sessions/index.js'
import { JOBS } from '../management/workflows/job-registry.js'
import { SWEEP_MS, sendDueOutcomes } from '../management/workflows/outcome.js'
import type { Sql } from '../postgres/driver/client.js'
import { removeOldIngestProblems } from '../postgres/tables/ingest-problems.js'
import { removeEndedSessions } from '../postgres/tables/sessions.js'
import { ClientAddresses } from '../runtime/client-address.js'
import { deadlineSignal } from '../runtime/concurrency/deadline-signal.js'
import { FairQueue } from '../runtime/concurrency/fair-queue.js'
import { FairTurns } from '../runtime/concurrency/fair-turns.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import type { Check, Stage } from '../runtime/stage.js'
import { deliveries } from './hooks/description.js'
import { answerHook } from './hooks/github.js'
import { ApiAuthenticator } from './http/authenticator.js'
import { BodyMemory } from './http/body-memory.js'
import { concludeDeferredResponses } from './http/deferred-responses.js'
import { Exchange } from './http/exchange.js'
import { handleRequest } from './http/handle-request.js'
import type { HandlerContext } from './http/handler-context.js'
import { CLAIM_RENEWAL_MS, Idempotency } from './http/idempotency.js'
import { ApiMetrics } from './http/metrics.js'
import { buildOpenApi } from './http/openapi/openapi.js'
import { DEFAULT_REQUESTS_PER_SECOND, RequestRates } from './http/request-rates.js'
import type { Route } from './http/route.js'
import { Router } from './http/router.js'
import { ValidatedRoute } from './http/validated-route.js'
import { answerProviderSignIn } from './identity/provider-sign-in.js'
import { answerSignIn, type SignInContext } from './identity/sign-in.js'
import { Console } from './pages/console/console.js'
import { Reference } from './pages/reference/reference.js'
import { publicRoutes } from './public-routes.js'
import { routes } from './routes.js'

const CHECK_MS = 1_500
const DRAIN_MS = 35_000
const CREDENTIALS_STOP_MS = 1_000
const EXPIRY_MS = 60_000
const NAMES_MS = 300_000
const REMOVAL_MS = 3_600_000
const DEFAULT_QUERIES_PER_WORKSPACE = 4
/** Of all workspaces. The event store has connections left for what must not wait. */
const MAX_QUERIES = 12
/** For workspaces that run none. */
const RESERVED_QUERIES = 4
const QUERY_WAIT_MS = 10_000
/**
 * Requests that are no heavy queries: of all workspaces, of one, and for workspaces that have none at work.
 */
const MAX_REQUESTS = 64
const REQUESTS_PER_WORKSPACE = 8
const RESERVED_REQUESTS = 16
const DEFAULT_SETTLING_HOURS = 24
const DEFAULT_RESULTS_MAX_AGE_SECONDS = 5

export interface ApiOptions {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** For the readiness of a workspace; undefined if this process has no connection to the log. */
  readonly log?: EventLog | undefined
  /** HMAC key of stored credentials. */
  readonly secretKey: Uint8Array
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** How long a retry waits for the first request with its Idempotency-Key. @default 20 s */
  readonly retryWaitMs?: number
  /** Proxies whose `X-Forwarded-For` is read. @default none */
  readonly trustedProxies?: readonly string[]
  /** The address that clients send events to; undefined if unknown here. */
  readonly ingestUrl?: () => string | undefined
  /** Address of the console for people. @default where this API listens */
  readonly publicUrl?: string | undefined
  /** How webhooks are sent. @default to public addresses only */
  readonly hooks?: HookSettings
  /** Whether results of running experiments are refreshed in the background. @default true */
  readonly refreshResults?: boolean
  /** Hours that a decision waits for late conversions. @default 24 */
  readonly settlingHours?: number
  /** Greatest age of stored results in a response. @default 5 s */
  readonly resultsMaxAgeSeconds?: number
  /** Heavy queries that a workspace runs at once. @default 4 */
  readonly queriesPerWorkspace?: number
  /** Rate of a key or session; a workspace has twice that. @default 500 */
  readonly requestsPerSecond?: number
  /** @default the built-in rules */
  readonly generator?: GeneratorSettings
  /** The bucket to which days of events are exported. @default none */
  readonly exports?: ExportSettings | undefined
  /** @default no identity provider */
  readonly oidc?: IdentityProviderSettings | undefined
  /** @default only invitations are accepted */
  readonly signInCodes?: SignInCodes | undefined
  /** Interval at which streams of live events look for new ones. @default 1 s */
  readonly liveTurnMs?: number
  readonly logger: Logger
  readonly registry: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly newId: () => string
  /** How long jobs may go on after a stop. @default 10 s */
  readonly drainJobsMs?: number
  /** Routes and jobs of tests. */
  readonly testOnly?:
    | { readonly routes: readonly Route[]; readonly jobs: readonly JobDefinition[] }
    | undefined
  /** No-op outside of crash tests. */
  readonly faultPoint?: ((name: ApiFaultPoint) => void) | undefined
  /** As `faultPoint`, between the steps of jobs. */
  readonly stepFaultPoint?: ((name: string) => void) | undefined
  /** Whether Postgres is the one in the data directory. @default false */
  readonly embeddedPostgres?: boolean
}

export type ApiFaultPoint = 'api:written' | 'api:committed' | JobFaultPoint

/** Rejects if the address is not available. */
export async function startApi(options: ApiOptions): Promise<Stage> {
  const { sql, clickhouse, logger, registry, now, newId, faultPoint } = options
  const table = [...routes, ...(options.testOnly?.routes ?? [])]
  const definitions = [...JOBS, ...(options.testOnly?.jobs ?? [])]
  const idempotency = new Idempotency(sql, options.secretKey, now, newId, options.retryWaitMs)
  const jobs = new JobQueue({
    sql,
    logger,
    metrics: new JobMetrics(registry),
    definitions,
    faultPoint,
    ...(options.drainJobsMs === undefined ? {} : { drainMs: options.drainJobsMs }),
    concluded: concludeDeferredResponses(table, idempotency, now),
  })
  let url: string | undefined
  const services = servicesOf(options, jobs, () => url)
  const { repositories, liveEvents } = services
  const credentials = new ApiAuthenticator({
    sql,
    secretKey: options.secretKey,
    now,
    logger,
    name: newId(),
    changed: () => liveEvents.recheck(),
  })
  let draining = false
  const refusals = new Refusals(options)
  const context = contextOf(options, table, { services, credentials, idempotency, refusals }, () => draining)
  const { server, inFlight } = serverOf(context, options)
  credentials.start()
  url = await listen(server, options).catch(async (error: unknown) => {
    await credentials.stop()
    throw error
  })
  logger.info({ url }, 'Management API listening')

  const watch = new Watch(services)
  // No other process runs jobs of that database, so those that ran have lost theirs.
  if (options.embeddedPostgres) await expireLeases(sql, true)
  jobs.work(services)
  const ending = new AbortController()
  const parts = { services, jobs, idempotency, watch, refusals, metrics: context.metrics }
  const timers = startHousekeeping(options, parts, ending.signal)

  return {
    name: 'api',
    url,
    async checks() {
      const [postgres, events] = await Promise.all([
        check('postgres', sql`select 1`),
        check('clickhouse', clickhouse.ping(deadlineSignal(CHECK_MS))),
      ])
      // Without Postgres there are no jobs either, and the cause alone is what to look at.
      return postgres.ok ? [postgres, events, await check('jobs', jobs.check())] : [postgres, events]
    },
    metrics: () => registry.getMetricsAsJSON(),
    async stop() {
      draining = true
      ending.abort()
      server.close()
      await liveEvents.stop()
      for (const timer of timers) clearInterval(timer)
      const rested = Promise.all([jobs.stop(), watch.stop()])
      await drained(inFlight)
      await rested
      await repositories.close()
      // Does not end while Postgres is silent, and need not.
      await withTimeout(CREDENTIALS_STOP_MS, 'Postgres', credentials.stop()).catch(() => {})
      // Idle connections would keep the process alive until they time out.
      ;(server.uws_instance as unknown as { close(): void }).close()
    },
  }
}

function contextOf(
  options: ApiOptions,
  table: readonly Route[],
  parts: Pick<HandlerContext, 'services' | 'credentials' | 'idempotency' | 'refusals'>,
  draining: () => boolean,
): HandlerContext {
  const { registry, faultPoint } = options
  const { services, credentials } = parts
  const rates = new RequestRates(options.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND, () =>
    performance.now(),
  )
  const memory = new BodyMemory()
  const admitStranger = (exchange: Exchange): void => rates.admitStranger(exchange.address)
  const signIn: SignInContext = {
    codes: options.signInCodes ?? new SignInCodes(options),
    store: options,
    provider: options.oidc === undefined ? undefined : new IdentityProvider(options.oidc, options),
    admitStranger,
    async authenticate(exchange) {
      const credential = await credentials.authenticate(exchange, () => admitStranger(exchange))
      rates.admit(credential)
      return credential
    },
  }
  return {
    ...parts,
    router: new Router(table),
    validated: new Map(table.map((route) => [route, new ValidatedRoute(route)])),
    queries: new FairQueue(
      MAX_QUERIES,
      options.queriesPerWorkspace ?? DEFAULT_QUERIES_PER_WORKSPACE,
      RESERVED_QUERIES,
      QUERY_WAIT_MS,
    ),
    requests: new FairQueue(MAX_REQUESTS, REQUESTS_PER_WORKSPACE, RESERVED_REQUESTS, QUERY_WAIT_MS),
    memory,
    bodies: new FairTurns(() => performance.now()),
    rates,
    publicRoutes: publicRoutes({
      reference: new Reference(() => buildOpenApi(routes, deliveries)),
      // Beside the compiled code, made by scripts/build-console.mjs.
      console: new Console(fileURLToPath(new URL('../console', import.meta.url))),
      deliver: (exchange) => answerHook(services, memory, exchange),
      signIn: (exchange, requestId) =>
        answerSignIn(signIn, exchange, requestId) ?? answerProviderSignIn(signIn, exchange, requestId),
    }),
    metrics: new ApiMetrics(registry, () => services.liveEvents.readers),
    draining,
    faultPoint: faultPoint ?? (() => {}),
  }
}

/** @returns the address under which clients reach it */
async function listen(server: HyperExpress.Server, { host, port }: ApiOptions): Promise<string> {
  try {
    await server.listen(port, host)
  } catch (error) {
    throw new Error(`the management API cannot listen on ${host}:${port}`, { cause: error })
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`
}

function startHousekeeping(
  { sql, logger, now, refreshResults, exports }: ApiOptions,
  parts: {
    readonly services: Services
    readonly jobs: JobQueue
    readonly idempotency: Idempotency
    readonly watch: Watch
    readonly metrics: ApiMetrics
    readonly refusals: Refusals
  },
  signal: AbortSignal,
): NodeJS.Timeout[] {
  const { services, jobs, idempotency, watch, metrics, refusals } = parts
  const tasks: [ms: number, task: () => Promise<void>][] = [
    [EXPIRY_MS, () => idempotency.removeExpired()],
    [EXPIRY_MS, () => refusals.writeCounts()],
    [CLAIM_RENEWAL_MS, () => idempotency.renew()],
    [SWEEP_MS, () => sendDueOutcomes(sql, jobs, now)],
    [WATCH_MS, () => watch.turn()],
    [REMOVAL_MS, () => removeOldDeliveries(sql)],
    [REMOVAL_MS, () => removeOldIngestProblems(sql)],
    [REMOVAL_MS, () => removeEndedSessions(sql, new Date(now()))],
    [SWEEP_PRIVACY_MS, () => sweepPrivacy(services)],
  ]
  if (refreshResults !== false)
    tasks.push(
      [REFRESH_MS, () => refreshDue(services, signal)],
      [NAMES_MS, async () => metrics.manyEventNames(await listLargeVocabularies(services.clickhouse))],
    )
  if (exports !== undefined) {
    const sweep = exportSweep(services, exports)
    tasks.push([EXPORT_SWEEP_MS, async () => metrics.exportLag(await sweep())])
  }
  return tasks.map(([ms, task]) => repeatEvery(ms, task, logger))
}

function servicesOf(options: ApiOptions, jobs: JobQueue, ownUrl: () => string | undefined): Services {
  const { sql, clickhouse, secretKey, logger, now, newId } = options
  const liveEvents = new LiveEvents({
    sql,
    clickhouse,
    secretKey,
    logger,
    now,
    pollMs: options.liveTurnMs,
    present: async (workspaceId, events) =>
      (await presentEvents(sql, workspaceId, events)).map((event) => JSON.stringify(event)),
  })
  return {
    sql,
    clickhouse,
    jobs,
    repositories: connectedRepositories(sql, secretKey, now),
    liveEvents,
    log: options.log,
    generator: options.generator ?? { kind: 'rules' },
    modelMetrics: new ModelMetrics(options.registry),
    hooks: options.hooks ?? { allowPrivate: false },
    exports: options.exports,
    secretKey,
    consoleUrl: (reachedAt) => options.publicUrl ?? reachedAt ?? ownUrl(),
    embeddedPostgres: options.embeddedPostgres ?? false,
    faultPoint: options.stepFaultPoint,
    logger,
    ingestUrl: options.ingestUrl ?? (() => undefined),
    settlingHours: options.settlingHours ?? DEFAULT_SETTLING_HOURS,
    resultsMaxAgeSeconds: options.resultsMaxAgeSeconds ?? DEFAULT_RESULTS_MAX_AGE_SECONDS,
    now,
    newId,
  }
}

/** A server that does not listen yet, and its unanswered requests. */
function serverOf(
  context: HandlerContext,
  { logger, trustedProxies }: ApiOptions,
): { readonly server: HyperExpress.Server; readonly inFlight: ReadonlySet<Promise<void>> } {
  // `Exchange` limits bodies, and the program that starts this handles signals.
  const server = new HyperExpress.Server({ auto_close: false, max_body_length: Number.MAX_SAFE_INTEGER })
  const inFlight = new Set<Promise<void>>()
  const addresses = new ClientAddresses(trustedProxies ?? [])
  server.any('/*', (request, response) => {
    const exchange = new Exchange(request, response, addresses)
    if (exchange.dropAmbiguous()) return
    const answered = handleRequest(context, exchange)
    inFlight.add(answered)
    void answered.finally(() => inFlight.delete(answered))
  })
  server.set_error_handler((_request, response, error) => {
    logger.error({ err: error }, 'a request failed outside its handler')
    response.close()
  })
  return { server, inFlight }
}

/** Waits for responses in progress, at most as long as a drain may take. */
async function drained(inFlight: ReadonlySet<Promise<void>>): Promise<void> {
  const ended = async (): Promise<void> => {
    while (inFlight.size > 0) await Promise.all(inFlight)
  }
  // Requests that still run after the limit are cut off.
  await withTimeout(DRAIN_MS, 'requests in flight', ended()).catch(() => {})
}

/** Runs a task now and at intervals, never twice at once; a failed run is repeated at the next interval. */
function repeatEvery(ms: number, work: () => Promise<void>, logger: Logger): NodeJS.Timeout {
  let running = false
  const turn = (): void => {
    if (running) return
    running = true
    work()
      .catch((error) => logger.debug({ err: error }, 'housekeeping failed, and is tried again'))
      .finally(() => {
        running = false
      })
  }
  turn()
  const timer = setInterval(turn, ms)
  timer.unref()
  return timer
}

async function check(name: Check['name'], answer: PromiseLike<unknown>): Promise<Check> {
  try {
    await withTimeout(CHECK_MS, name, answer)
    return { name, ok: true, message: '' }
  } catch (error) {
    return { name, ok: false, message: errorMessage(error) }
  }
}
