import type { Registry } from 'prom-client'
import type { EventLog } from '../log/port.js'
import type { Sql } from '../postgres/driver/client.js'
import type { Logger } from '../runtime/logger.js'
import { newRequestId } from '../runtime/request-id.js'
import type { Stage } from '../runtime/stage.js'
import { within } from '../runtime/within.js'
import { type Authentication, Authenticator, type Caller } from './admit/authenticate.js'
import { DailyCaps } from './admit/daily-cap.js'
import { RateLimits } from './admit/rate-limit.js'
import { AliasLinker } from './append/alias.js'
import { type AppendOutcome, createAppender, LinkedKeys } from './append/append.js'
import { decodeAlias, decodeEvents } from './decode/decode.js'
import {
  decompress,
  type Encoding,
  MAX_BODY_BYTES,
  MOST_SKIPPED_BYTES,
  receiveBody,
  skipBody,
  TOO_LARGE,
  TOO_MUCH_IN_FLIGHT,
} from './http/body.js'
import {
  ALIAS_CONFLICT,
  type IngestRefusal,
  LOG_UNAVAILABLE,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  SECRET_KEY_IN_BROWSER,
  unavailable,
} from './http/errors.js'
import { GatewayExchange, Traffic } from './http/exchange.js'
import { type Head, mediaOf, readHead } from './http/head.js'
import { type HttpRequest, type HttpResponse, listenHttp } from './http/uws.js'
import { gatewayMetrics, type RouteLabel } from './metrics.js'
import { checkLog, checkPostgres } from './readiness.js'

export interface GatewayOptions {
  readonly log: EventLog
  readonly sql: Sql
  readonly secretKey: Uint8Array
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  /** False where several gateways of one machine share the port. */
  readonly exclusivePort: boolean
  readonly logger: Logger
  readonly registry: Registry
  /** The wall clock in milliseconds: `receivedAt` is read from it. */
  readonly now: () => number
  /** Body bytes that may be held at one time, over all requests. */
  readonly maxBytesInFlight?: number
  /** Called at named moments, for tests of crashes. */
  readonly faultPoint?: (name: string) => void
}

const DEFAULT_BYTES_IN_FLIGHT = 64 * 1024 * 1024
const LINKED_KEYS = 200_000
const DRAIN_MS = 4_500

type Work = (exchange: GatewayExchange, caller: Caller, body: Buffer, receivedAt: number) => void

/** Starts the ingestion gateway. Resolves when it listens. */
export async function startGateway(options: GatewayOptions): Promise<Stage> {
  const { log, sql, logger, registry, now } = options
  const clock = (): number => performance.now()
  const traffic = new Traffic(
    options.maxBytesInFlight ?? DEFAULT_BYTES_IN_FLIGHT,
    (route, status, milliseconds) => counts.answered(route, status, milliseconds / 1_000),
    clock,
  )
  const counts = gatewayMetrics(registry, () => traffic.bytesInFlight)
  const linked = new LinkedKeys(LINKED_KEYS)
  const append = createAppender({
    log,
    linked,
    durable: (events) => counts.accepted(events),
    faultPoint: options.faultPoint,
  })
  const rates = new RateLimits({ sql, logger, clock })
  const caps = new DailyCaps({ sql, logger, now })
  const aliases = new AliasLinker({ log, sql, linked })
  const authenticator = new Authenticator({
    sql,
    secretKey: options.secretKey,
    logger,
    clock,
    now,
    name: newRequestId(now()),
  })

  const events: Work = (exchange, caller, body, receivedAt) => {
    const decoded = decodeEvents(body)
    if (!decoded.ok) {
      exchange.refuse(decoded.refusal)
      return
    }
    const { sentAt, events } = decoded.value
    const { credential, hashKeys } = caller
    const { workspace } = credential
    const capped = workspace.dailyEvents !== null
    const batch = { workspaceId: workspace.id, keyId: credential.id, receivedAt, sentAt, events }
    const told = (outcome: AppendOutcome): void => {
      if (outcome.kind === 'durable') {
        if (!capped) caps.count(workspace.id, events.length, receivedAt)
        exchange.answer(202, `{"accepted":${events.length},"requestId":"${exchange.requestId}"}`)
      } else {
        const facts = { error: String(outcome.error), requestId: exchange.requestId }
        if (outcome.kind === 'unavailable') {
          logger.warn(facts, 'the log takes nothing')
          if (capped) caps.count(workspace.id, -events.length, receivedAt)
          exchange.refuse(LOG_UNAVAILABLE)
        } else {
          logger.error(facts, 'outcome of an append unknown')
          exchange.drop()
        }
      }
      exchange.endWork()
    }
    const record = (): void => {
      append(batch, hashKeys, told)
      exchange.beginWork()
    }
    const limited = rates.spend(caller, 'events', events.length)
    if (limited === undefined && !capped) {
      record()
      return
    }
    const run = async (): Promise<void> => {
      const refusal =
        (await limited) ?? (capped ? await caps.reserve(workspace.id, events.length, receivedAt) : undefined)
      if (refusal === undefined) record()
      else exchange.refuse(refusal)
    }
    exchange.work(run())
  }

  const alias: Work = (exchange, caller, body, receivedAt) => {
    const decoded = decodeAlias(body)
    if (!decoded.ok) {
      exchange.refuse(decoded.refusal)
      return
    }
    const { anonymousId, userId } = decoded.value
    exchange.work(
      aliases
        .link(caller.credential.workspace.id, caller.hashKeys, anonymousId, userId, receivedAt)
        .then((outcome) => {
          if (outcome.kind === 'linked' || outcome.kind === 'already-linked')
            exchange.answer(202, `{"outcome":"${outcome.kind}"}`)
          else if (outcome.kind === 'conflict') exchange.refuse(ALIAS_CONFLICT)
          else if (outcome.kind === 'unavailable') {
            logger.warn(
              { error: String(outcome.error), requestId: exchange.requestId },
              'no alias can be made',
            )
            exchange.refuse(
              unavailable(
                'links cannot be made at the moment; nothing was recorded: send the request again',
                2,
              ),
            )
          } else {
            logger.error(
              { error: String(outcome.error), requestId: exchange.requestId },
              'outcome of an alias unknown',
            )
            exchange.drop()
          }
        }),
    )
  }

  const routes: Readonly<Record<string, { readonly route: RouteLabel; readonly work: Work } | undefined>> = {
    __proto__: null as never,
    '/v1/events': { route: 'events', work: events },
    '/v1/alias': { route: 'alias', work: alias },
  }

  const handle = (res: HttpResponse, req: HttpRequest): void => {
    const method = req.getMethod()
    const exchange = new GatewayExchange(res, traffic, newRequestId(now()), method === 'head')
    try {
      const head = readHead(req, method)
      if (head.isAmbiguous) {
        exchange.drop()
        return
      }
      if (head.endsConnection) exchange.closeAfterBody()
      const target = routes[req.getUrl()]
      if (target === undefined) {
        refuseEarly(res, exchange, NOT_FOUND)
        return
      }
      exchange.route = target.route
      if (method !== 'post') {
        refuseEarly(res, exchange, METHOD_NOT_ALLOWED)
        return
      }
      const admission = admit(exchange, head, authenticator.authenticate(head.authorization))
      if (admission instanceof Promise) receiveMeanwhile(res, exchange, head, admission, target.work)
      else receiveKnown(res, exchange, head, admission, target.work)
    } catch (error) {
      fail(exchange, error)
    }
  }

  /** Before anybody receives the body. */
  const refuseEarly = (res: HttpResponse, exchange: GatewayExchange, refusal: IngestRefusal): void => {
    exchange.refuse(refusal)
    if (exchange.isWaitingForEnd) skipBody(res, exchange)
  }

  /** The usual case: whether it may come in is known at once, so a refusal comes before the body. */
  const receiveKnown = (
    res: HttpResponse,
    exchange: GatewayExchange,
    head: Head,
    admitted: Admitted | IngestRefusal,
    work: Work,
  ): void => {
    if ('code' in admitted) {
      refuseEarly(res, exchange, admitted)
      return
    }
    receiveBody(
      res,
      exchange,
      head.contentLength,
      true,
      (body) => {
        if (!head.endsConnection) {
          carryOut(exchange, admitted, body, now(), work)
          return
        }
        const at = now()
        const copy = Buffer.from(body)
        void exchange.nothingBehind().then(() => carryOut(exchange, admitted, copy, at, work))
      },
      (refusal) => exchange.refuse(refusal),
    )
  }

  /** Postgres has to be asked; the body comes in meanwhile, and what is wrong with it is said after. */
  const receiveMeanwhile = (
    res: HttpResponse,
    exchange: GatewayExchange,
    head: Head,
    admission: Promise<Admitted | IngestRefusal>,
    work: Work,
  ): void => {
    const body = new Promise<{ readonly bytes: Buffer; readonly at: number } | IngestRefusal>((resolve) => {
      receiveBody(
        res,
        exchange,
        head.contentLength,
        false,
        (bytes) => resolve({ bytes: Buffer.from(bytes), at: now() }),
        resolve,
      )
    })
    const run = async (): Promise<void> => {
      const admitted = await admission
      if ('code' in admitted) {
        exchange.refuse(admitted)
        return
      }
      const received = await body
      if ('code' in received) {
        exchange.refuse(received)
        return
      }
      if (head.endsConnection) await exchange.nothingBehind()
      carryOut(exchange, admitted, received.bytes, received.at, work)
    }
    run().catch((error: unknown) => fail(exchange, error))
  }

  /** Everything that can be said before the body, in the order in which it is said. */
  const admit = (
    exchange: GatewayExchange,
    head: Head,
    authentication: Authentication | Promise<Authentication>,
  ): Admitted | IngestRefusal | Promise<Admitted | IngestRefusal> => {
    if (authentication instanceof Promise) return authentication.then((known) => admit(exchange, head, known))
    if (!authentication.ok) return authentication.refusal
    if (head.hasOrigin) return SECRET_KEY_IN_BROWSER
    const { caller } = authentication
    const limited = rates.spend(caller, 'requests', 1)
    if (limited instanceof Promise)
      return limited.then((refusal) => refusal ?? admitBody(exchange, head, caller))
    return limited ?? admitBody(exchange, head, caller)
  }

  const admitBody = (exchange: GatewayExchange, head: Head, caller: Caller): Admitted | IngestRefusal => {
    const encoding = mediaOf(head)
    if (typeof encoding !== 'string') return encoding
    const length = head.contentLength ?? 0
    if (length > MAX_BODY_BYTES)
      return length > MOST_SKIPPED_BYTES ? { ...TOO_LARGE, closeConnection: true } : TOO_LARGE
    if (!exchange.hasRoomFor(length)) return TOO_MUCH_IN_FLIGHT
    return { caller, encoding }
  }

  const carryOut = (
    exchange: GatewayExchange,
    admitted: Admitted,
    body: Buffer,
    receivedAt: number,
    work: Work,
  ): void => {
    if (!exchange.isOpen) return
    try {
      counts.received(body.length)
      const plain = decompress(body, admitted.encoding)
      if ('code' in plain) exchange.refuse(plain)
      else if (plain !== body && !exchange.hold(plain.length)) exchange.refuse(TOO_MUCH_IN_FLIGHT)
      else work(exchange, admitted.caller, plain, receivedAt)
    } catch (error) {
      fail(exchange, error)
    }
  }

  /** A fault of the program, before anything was written. */
  const fail = (exchange: GatewayExchange, error: unknown): void => {
    logger.error({ error, requestId: exchange.requestId }, 'a request failed')
    exchange.refuse({ code: 'INTERNAL', message: 'the gateway failed; nothing was recorded' })
  }

  authenticator.start()
  const listener = await listenHttp({
    host: options.host,
    port: options.port,
    exclusivePort: options.exclusivePort,
    handle,
  }).catch(async (error: unknown) => {
    await Promise.all([authenticator.stop(), caps.stop()])
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
      traffic.draining = true
      await within(DRAIN_MS, 'requests in flight', traffic.idle()).catch(() =>
        logger.warn({ requests: traffic.open }, 'requests are still open at the end of the drain'),
      )
      listener.closeConnections()
      aliases.stop()
      await Promise.all([authenticator.stop(), caps.stop()])
    },
  }
}

interface Admitted {
  readonly caller: Caller
  readonly encoding: Encoding
}
