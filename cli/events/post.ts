import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { errorMessage } from '../../runtime/errors.js'
import { type ErrorResponse, parseErrorResponse } from '../client/error-response.js'
import { type HttpResponse, sendRequest } from '../client/transport.js'

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
    if (isSuccess(answer.status))
      return isReceipt(answer.text, events.length)
        ? { kind: 'accepted' }
        : { kind: 'unclear', reason: notOurs(answer) }
    const refusal = parseErrorResponse(answer)
    // A proxy's bare 400 is about no event. A bare 413 is: smaller batches may pass.
    if (answer.status === 400 && refusal.code === 'HTTP 400')
      return { kind: 'unclear', reason: notOurs(answer) }
    return { kind: 'refused', refusal }
  } catch (error) {
    return { kind: 'unclear', reason: errorMessage(error) }
  }
}

/** Whether the body is the receipt of the ingestion API for the whole batch. Other servers answer 202 too. */
function isReceipt(text: string, events: number): boolean {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('accepted' in body && 'requestId' in body))
      return false
    return body.accepted === events && typeof body.requestId === 'string'
  } catch {
    // Not JSON: not the ingestion API.
    return false
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function notOurs({ status }: HttpResponse): string {
  return `HTTP ${status} with a body that is not svc's: does SVC_INGEST_URL name the ingestion API?`
}
