import { createHash } from 'node:crypto'
import type { StoredAnswer } from './idempotency.js'

/** Adds the ETag of a 200, a hash of its body; 304 without a body where the client has it already. */
export function withEtag(answer: StoredAnswer, ifNoneMatch: string | undefined): StoredAnswer {
  if (answer.body === undefined || answer.status !== 200) return answer
  const etag = `"${createHash('sha256').update(answer.body).digest('base64url').slice(0, 27)}"`
  const headers = { ...answer.headers, ETag: etag }
  if (ifNoneMatch === undefined || !matches(ifNoneMatch, etag)) return { ...answer, headers }
  return { status: 304, headers, body: undefined }
}

/** The weak comparison of RFC 9110: a cache may have marked the tag as weak. */
function matches(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
