import { BODY_TOO_LARGE, type BodyEncoding, MAX_BODY_BYTES, MAX_SKIPPED_BYTES } from '../http/body.js'
import { type IngestRefusal, SECRET_KEY_IN_BROWSER } from '../http/errors.js'
import type { GatewayExchange } from '../http/exchange.js'
import { type RequestHead, readContentEncoding } from '../http/head.js'
import type { Authentication, Authenticator, KeyHolder } from './authenticate.js'
import type { RateLimits } from './rate-limit.js'
import type { ReadRates } from './read-rates.js'
import type { WastedWork } from './wasted-work.js'

/** A request that may send its body. */
export interface Admitted {
  readonly caller: KeyHolder
  readonly encoding: BodyEncoding
  /** Bytes as sent, if the body was decompressed before its sender was known. */
  readonly receivedBytes?: number
}

/**
 * Decides everything that can be decided before the body, in the order in which it is reported. A promise
 * only if Postgres has to be asked.
 */
export class Admission {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly rates: RateLimits,
    private readonly wasted: WastedWork,
    private readonly reads: ReadRates,
  ) {}

  admit(
    exchange: GatewayExchange,
    head: RequestHead,
  ): Admitted | IngestRefusal | Promise<Admitted | IngestRefusal> {
    const authentication = this.authenticator.authenticate(head.authorization, exchange)
    return authentication instanceof Promise
      ? authentication.then((known) => this.admitSender(exchange, head, known))
      : this.admitSender(exchange, head, authentication)
  }

  /** The caller of a route that reads. It has no body. */
  admitReader(
    exchange: GatewayExchange,
    head: RequestHead,
  ): KeyHolder | IngestRefusal | Promise<KeyHolder | IngestRefusal> {
    const authentication = this.authenticator.authenticate(head.authorization, exchange)
    const admit = (known: Authentication): KeyHolder | IngestRefusal => {
      if (!known.ok) return known.refusal
      if (head.hasOrigin) return SECRET_KEY_IN_BROWSER
      return this.reads.spend(known.caller) ?? known.caller
    }
    return authentication instanceof Promise ? authentication.then(admit) : admit(authentication)
  }

  private admitSender(
    exchange: GatewayExchange,
    head: RequestHead,
    authentication: Authentication,
  ): Admitted | IngestRefusal | Promise<Admitted | IngestRefusal> {
    if (!authentication.ok) return authentication.refusal
    const { caller } = authentication
    exchange.belongTo(caller.credential)
    if (head.hasOrigin) return SECRET_KEY_IN_BROWSER
    const limited =
      this.wasted.refusal(caller) ??
      (caller.credential.imports ? undefined : this.rates.spend(caller, 'requests', 1))
    if (limited instanceof Promise)
      return limited.then((refusal) => refusal ?? admitBody(exchange, head, caller))
    return limited ?? admitBody(exchange, head, caller)
  }
}

function admitBody(
  exchange: GatewayExchange,
  head: RequestHead,
  caller: KeyHolder,
): Admitted | IngestRefusal {
  const encoding = readContentEncoding(head)
  if (typeof encoding !== 'string') return encoding
  const length = head.contentLength ?? 0
  if (length > MAX_BODY_BYTES)
    return length > MAX_SKIPPED_BYTES ? { ...BODY_TOO_LARGE, closeConnection: true } : BODY_TOO_LARGE
  return exchange.overload(length) ?? { caller, encoding }
}
