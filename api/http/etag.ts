import { hashOfBody, matchesEtag } from '../../runtime/etag.js'
import { HttpError } from './http-error.js'
import type { RawResponse, StoredResponse } from './response.js'

/**
 * Times of measuring and asking, which do not change the content. Quotes in texts are escaped, so these are
 * fields.
 */
const TIMES = /"(asOf|lastAskedAt)":("[^"]*"|null)/g

/**
 * Adds the ETag to a 200: a hash of its body without `asOf` and `lastAskedAt`. 304 if the client has it.
 *
 * @param state what `If-Match` compares. If it is less than the body, its hash and a dot come first
 */
export function withEtag(
  answer: StoredResponse,
  ifNoneMatch: string | undefined,
  state?: unknown,
): StoredResponse {
  if (answer.body === undefined || answer.status !== 200) return answer
  const hash = hashOf(answer.body)
  const etag = state === undefined ? `"${hash}"` : `"${hashOf(JSON.stringify(state))}.${hash}"`
  return unlessUnchanged({ ...answer, headers: { ...answer.headers, ETag: etag } }, ifNoneMatch)
}

function hashOf(body: string): string {
  return hashOfBody(body.replace(TIMES, ''))
}

/**
 * Strong comparison of RFC 9110: a weak tag never matches.
 *
 * @param state the current state of the resource, as `withEtag` gets it
 * @throws HttpError PRECONDITION_FAILED if the header names another state
 */
export function checkIfMatch(ifMatch: string, state: unknown): void {
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  const current = hashOf(JSON.stringify(state))
  if (tags.some((tag) => tag === '*' || STATE_OF_TAG.exec(tag)?.[1] === current)) return
  throw new HttpError(
    'PRECONDITION_FAILED',
    'It was changed since you read it: read it again, and send the ETag of that response in If-Match',
    [{ path: 'header.If-Match', message: 'is not the current ETag' }],
  )
}

const STATE_OF_TAG = /^"([\w-]{27})(?:\.[\w-]{27})?"$/

/** 304 without a body if the client has the response's ETag. */
export function unlessUnchanged<A extends RawResponse>(
  answer: A,
  ifNoneMatch: string | undefined,
): A | (Omit<A, 'body'> & { readonly body: undefined }) {
  const etag = answer.headers.ETag
  if (etag === undefined || !matchesEtag(ifNoneMatch, etag)) return answer
  return { ...answer, status: 304, body: undefined }
}
