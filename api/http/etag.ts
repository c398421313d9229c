import { createHash } from 'node:crypto'
import type { RawResponse, StoredResponse } from './response.js'

/**
 * Times of measuring and asking, which do not change the content. Quotes in texts are escaped, so these are
 * fields.
 */
const TIMES = /"(asOf|lastAskedAt)":("[^"]*"|null)/g

/** Adds the ETag to a 200: a hash of its body without `asOf` and `lastAskedAt`. 304 if the client has it. */
export function withEtag(answer: StoredResponse, ifNoneMatch: string | undefined): StoredResponse {
  if (answer.body === undefined || answer.status !== 200) return answer
  const etag = `"${createHash('sha256').update(answer.body.replace(TIMES, '')).digest('base64url').slice(0, 27)}"`
  return unlessUnchanged({ ...answer, headers: { ...answer.headers, ETag: etag } }, ifNoneMatch)
}

/** 304 without a body if the client has the response's ETag. */
export function unlessUnchanged<A extends RawResponse>(
  answer: A,
  ifNoneMatch: string | undefined,
): A | (Omit<A, 'body'> & { readonly body: undefined }) {
  const etag = answer.headers.ETag
  if (etag === undefined || ifNoneMatch === undefined || !matches(ifNoneMatch, etag)) return answer
  return { ...answer, status: 304, body: undefined }
}

/** Weak comparison of RFC 9110: a cache may have marked the tag as weak. */
function matches(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
