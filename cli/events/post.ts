import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { errorMessage } from '../../runtime/errors.js'
import { type ErrorResponse, parseErrorResponse } from '../client/error-response.js'
import { type HttpResponse, sendRequest } from '../client/transport.js'
import type { WarningTally } from './warning-tally.js'

const pack = promisify(gzip)
const TIMEOUT_MS = 30_000
/** Higher levels cost more time than they save on the network. */
const LEVEL = 3

/** `unclear`: the batch may have been recorded. Sending it again with the same insertIds is safe. */
export type PostResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly refusal: ErrorResponse }
  | { readonly kind: 'unclear'; readonly reason: string }

/** @param warnings collects what the answer warns of, if it wants this request's */
export async function postEvents(
  ingestUrl: string,
  serverKey: string,
  userAgent: string,
  events: readonly string[],
  signal: AbortSignal,
  warnings?: WarningTally,
): Promise<PostResult> {
  const body = await pack(`{"events":[${events.join(',')}]}`, { level: LEVEL })
  try {
    const answer = await sendRequest({
      method: 'POST',
      url: new URL(`${ingestUrl}/v1/events${warnings?.next() ? '?warnings=true' : ''}`),
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
    if (isSuccess(answer.status)) {
      const receipt = readReceipt(answer.text, events.length)
      if (receipt === undefined) return { kind: 'unclear', reason: notOurs(answer) }
      if ('warnings' in receipt) warnings?.add(receipt.warnings)
      return { kind: 'accepted' }
    }
    const refusal = parseErrorResponse(answer)
    // A proxy's bare 400 is about no event. A bare 413 is: smaller batches may pass.
    if (answer.status === 400 && refusal.code === 'HTTP 400')
      return { kind: 'unclear', reason: notOurs(answer) }
    return { kind: 'refused', refusal }
  } catch (error) {
    return { kind: 'unclear', reason: errorMessage(error) }
  }
}

/** The receipt of the ingestion API for the whole batch. Undefined if another server answered 202. */
function readReceipt(text: string, events: number): object | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('accepted' in body && 'requestId' in body))
      return undefined
    return body.accepted === events && typeof body.requestId === 'string' ? body : undefined
  } catch {
    // Not JSON: not the ingestion API.
    return undefined
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function notOurs({ status }: HttpResponse): string {
  return `HTTP ${status} with a body that is not svc's: does SVC_INGEST_URL name the ingestion API?`
}
