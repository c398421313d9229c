import { withEtag } from './etag.js'
import type { StoredAnswer } from './idempotency.js'
import type { OpenApiDocument } from './openapi.js'
import { bucketingDocument } from './reference/bucketing.js'
import { CONTENT_SECURITY_POLICY, renderReference } from './reference-page.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** `/reference` and what lies below it, at the root and under `/v1`, for everybody. */
export class Reference {
  private readonly pages: ReadonlyMap<string, StoredAnswer>

  constructor(document: OpenApiDocument) {
    this.pages = new Map([
      [
        '/reference',
        answer('text/html; charset=utf-8', renderReference(document), {
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        }),
      ],
      ['/reference/bucketing.json', answer(JSON_TYPE, JSON.stringify(bucketingDocument()))],
      ['/reference/openapi.json', answer(JSON_TYPE, JSON.stringify(document))],
    ])
  }

  /** Undefined where the path is not one of these. */
  answer(method: string, path: string, ifNoneMatch: string | undefined): StoredAnswer | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const page = this.pages.get(path.startsWith('/v1/') ? path.slice(3) : path)
    return page === undefined ? undefined : withEtag(page, ifNoneMatch)
  }
}

function answer(type: string, body: string, headers: Record<string, string> = {}): StoredAnswer {
  return { status: 200, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', ...headers }, body }
}
