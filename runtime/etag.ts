import { createHash } from 'node:crypto'

/** The ETag of a body: its hash, in quotes. */
export function etagOf(body: string | Uint8Array): string {
  return `"${hashOfBody(body)}"`
}

export function hashOfBody(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 27)
}

/** Whether `If-None-Match` names an ETag: weak comparison, since a cache may have marked the tag as weak. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes('*') || tags.includes(etag)
}
