import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { errorMessage } from '../../runtime/errors.js'
import { type ErrorResponse, parseErrorResponse } from '../client/error-response.js'
import { sendRequest } from '../client/transport.js'

const pack = promisify(gzip)
const TIMEOUT_MS = 30_000
/** Higher levels cost more time than they save on the network. */
const LEVEL = 3

/** `unclear`: the batch may have been recorded. Sending it again with the same insertIds is safe. */
export type PostResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly refusal: ErrorResponse }
  | { readonly kind: 'unclear'; readonly reason: string }

export async function postEvents(
  ingestUrl: string,
  serverKey: string,
  userAgent: string,
  events: readonly string[],
  signal: AbortSignal,
): Promise<PostResult> {
  const body = await pack(`{"events":[${events.join(',')}]}`, { level: LEVEL })
  try {
    const answer = await sendRequest({
      method: 'POST',
      url: new URL(`${ingestUrl}/v1/events`),
      headers: {
        Authorization: `Bearer ${serverKey}`,
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
        'User-Agent': userAgent,
      },
      body,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    if (answer.status === 202) return { kind: 'accepted' }
    return { kind: 'refused', refusal: parseErrorResponse(answer) }
  } catch (error) {
    return { kind: 'unclear', reason: errorMessage(error) }
  }
}
