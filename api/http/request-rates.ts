import type { Credential } from '../../postgres/tables/credentials.js'
import { networkOf } from '../../runtime/client-address.js'
import { TokenBuckets } from '../../runtime/concurrency/token-buckets.js'
import { HttpError } from './http-error.js'

export const DEFAULT_REQUESTS_PER_SECOND = 500
const WORKSPACE_FACTOR = 2

/**
 * Limits the requests of a key or session, of a workspace, and of an address that sends no valid key. In the
 * memory of this process: each process of the API has its own limits.
 */
export class RequestRates {
  private readonly credentials: TokenBuckets
  private readonly workspaces: TokenBuckets
  private readonly addresses: TokenBuckets

  /**
   * @param requestsPerSecond of a key, a session or an address; a workspace has twice that
   * @param clock milliseconds that only grow
   */
  constructor(requestsPerSecond: number, clock: () => number) {
    this.credentials = new TokenBuckets(requestsPerSecond, clock)
    this.workspaces = new TokenBuckets(WORKSPACE_FACTOR * requestsPerSecond, clock)
    this.addresses = new TokenBuckets(requestsPerSecond, clock)
  }

  /** Counts a request, whatever comes of it. @throws HttpError RATE_LIMITED */
  admit({ id, kind, workspace }: Credential): void {
    const own = this.credentials.of(id)
    const shared = this.workspaces.of(workspace.id)
    if (own.tokens < 1) throw rateLimited(`This ${kind === 'api' ? 'key' : 'session'}`, this.credentials.rate)
    if (shared.tokens < 1) throw rateLimited('This workspace', this.workspaces.rate)
    own.tokens--
    shared.tokens--
  }

  /** Counts a request whose key is missing, wrong or not known here yet. @throws HttpError RATE_LIMITED */
  admitStranger(address: string): void {
    const bucket = this.addresses.of(networkOf(address))
    if (bucket.tokens < 1) throw rateLimited('This address without a valid key', this.addresses.rate)
    bucket.tokens--
  }
}

function rateLimited(what: string, rate: number): HttpError {
  return new HttpError(
    'RATE_LIMITED',
    `${what} exceeded ${rate} requests per second: wait a second and send the request again`,
    [],
    {
      'Retry-After': '1',
      'RateLimit-Limit': String(rate),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '1',
    },
  )
}
