import { ApiError } from '../../frame/errors.js'
import { unlessUnchanged, withEtag } from '../../frame/etag.js'
import type { AnyAnswer, StoredAnswer } from '../../frame/idempotency.js'
import type { OpenApiDocument } from '../../frame/openapi/openapi.js'
import { bucketingDocument } from './bucketing.js'
import { clientArchive } from './client-archive.js'
import { referencePage } from './reference-page.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** `/reference` and what lies below it, at the root and under `/v1`, for everybody. Made once, answered from memory. */
export class Reference {
  private readonly pages: ReadonlyMap<string, StoredAnswer>
  private readonly files = new Map(clientArchive())

  constructor(document: OpenApiDocument) {
    this.pages = new Map([
      ...[...referencePage()].map(
        ([path, { type, text, headers }]) => [path, answer(type, text, headers)] as const,
      ),
      ['/reference/bucketing.json', answer(JSON_TYPE, JSON.stringify(bucketingDocument()))],
      ['/reference/openapi.json', answer(JSON_TYPE, JSON.stringify(document))],
    ])
  }

  /** Undefined where the path is not one of these. Throws METHOD_NOT_ALLOWED where it is, and the method is not GET or HEAD. */
  answer(method: string, path: string, ifNoneMatch: string | undefined): StoredAnswer | undefined {
    return read(this.pages, method, path, ifNoneMatch)
  }

  /** The same for what is no text. */
  file(method: string, path: string, ifNoneMatch: string | undefined): AnyAnswer | undefined {
    return read(this.files, method, path, ifNoneMatch)
  }
}

function read<A extends AnyAnswer>(
  pages: ReadonlyMap<string, A>,
  method: string,
  path: string,
  ifNoneMatch: string | undefined,
): ReturnType<typeof unlessUnchanged<A>> | undefined {
  const page = pages.get(path.startsWith('/v1/') ? path.slice(3) : path)
  if (page === undefined) return undefined
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('METHOD_NOT_ALLOWED', 'This path takes GET, HEAD', [], { Allow: 'GET, HEAD' })
  return unlessUnchanged(page, ifNoneMatch)
}

function answer(type: string, body: string, headers: Readonly<Record<string, string>> = {}): StoredAnswer {
  return withEtag(
    { status: 200, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', ...headers }, body },
    undefined,
  )
}
