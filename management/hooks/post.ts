import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { errorMessage } from '../../runtime/errors.js'
import type { HookSettings } from '../services.js'
import { type LookUpCaller, lookUpFor } from './look-up.js'
import { isPublicAddress, PrivateAddressError } from './public-address.js'

export interface HookPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const DEFAULT_TIMEOUT_MS = 10_000

export interface PostOptions extends HookSettings {
  readonly workspaceId: string
  readonly signal: AbortSignal
}

/** `error` is undefined if the receiver has accepted the delivery. */
export interface DeliveryOutcome {
  /** Null if there was no answer. */
  readonly status: number | null
  readonly error: string | undefined
}

/** Posts once, over a new connection. Follows no redirect. Never rejects. */
export async function postToHook(
  post: HookPost,
  { allowPrivate, timeoutMs = DEFAULT_TIMEOUT_MS, workspaceId, signal }: PostOptions,
): Promise<DeliveryOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const caller = { workspaceId, signal: AbortSignal.any([signal, timeout]) }
    const status = await statusOf(post, allowPrivate, caller)
    const accepted = status >= 200 && status < 300
    return { status, error: accepted ? undefined : `The receiver answered ${status}` }
  } catch (error) {
    if (timeout.aborted)
      return { status: null, error: `The receiver did not answer within ${timeoutMs / 1_000} s` }
    return { status: null, error: `The receiver was not reached: ${errorMessage(error)}` }
  }
}

function statusOf(
  { url, headers, body }: HookPost,
  allowPrivate: boolean,
  caller: LookUpCaller,
): Promise<number> {
  const target = new URL(url)
  const host = hostOf(target)
  // A literal address is not looked up.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host))
    return Promise.reject(new PrivateAddressError(host))
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(target, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      // A connection that is used again would not be checked again.
      agent: false,
      signal: caller.signal,
      lookup: lookUpFor(caller, allowPrivate),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      // Cut off, so that a long answer costs nothing.
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    request.end(body)
  })
}

/** The host without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
