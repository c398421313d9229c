import { combineSignals } from '../../runtime/concurrency/combine-signals.js'
import { errorMessage } from '../../runtime/errors.js'
import { abortedError, RepositoryError } from '../errors.js'

export interface FetchOptions {
  /** The only origin that is requested. */
  readonly origin: string
  readonly timeoutMs: number
  /** Larger responses are refused. */
  readonly maxBytes: number
  readonly signals: readonly (AbortSignal | undefined)[]
}

const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 307, 308]

/**
 * Fetch for one origin. Every request carries the token, so redirects to another origin are refused.
 * Redirects within it are followed with the same method and body, as GitHub asks for renamed repositories.
 * The whole response is read within a time and a size limit, so a truncated response is an error.
 */
export async function guardedFetch(url: string, init: RequestInit, options: FetchOptions): Promise<Response> {
  const { signal, release } = combineSignals(options.signals, options.timeoutMs)
  try {
    return await follow(new URL(url), 0)
  } finally {
    release()
  }

  async function follow(place: URL, hops: number): Promise<Response> {
    if (place.origin !== options.origin)
      throw new RepositoryError(
        'invalid',
        `${options.origin} leads to ${place.origin}, where the token is not sent: connect the repository with the --base-url of the host itself`,
      )
    const { response, body } = await send(place, { ...init, redirect: 'manual', signal })
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
    if (location === null) {
      const { status, headers } = response
      return new Response([204, 304].includes(status) ? null : body, { status, headers })
    }
    if (hops === MAX_REDIRECTS)
      throw new RepositoryError('unavailable', `${options.origin} redirects again and again`)
    return follow(new URL(location, place), hops + 1)
  }

  async function send(
    place: URL,
    request: RequestInit,
  ): Promise<{ response: Response; body: Uint8Array<ArrayBuffer> }> {
    try {
      const response = await fetch(place, request)
      return { response, body: await bodyOf(response, options.maxBytes) }
    } catch (error) {
      if (error instanceof RepositoryError) throw error
      if (signal.aborted) throw abortedError(signal, `a request to ${options.origin}`)
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      throw new RepositoryError(
        'unavailable',
        `${options.origin} cannot be reached, or cut its answer: ${errorMessage(cause)}`,
      )
    }
  }
}

async function bodyOf(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new RepositoryError('too_large', `the host answers with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
