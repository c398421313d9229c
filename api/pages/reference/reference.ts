import { unlessUnchanged, withEtag } from '../../http/etag.js'
import { HttpError } from '../../http/http-error.js'
import type { OpenApiDocument } from '../../http/openapi/openapi.js'
import type { RawResponse, StoredResponse } from '../../http/response.js'
import { bucketingDocument } from './bucketing.js'
import { clientArchives } from './client-archives.js'
import { referencePage } from './reference-page.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * `/reference` and everything below it, at the root and under `/v1`. Built at the first request, then served
 * from memory.
 */
export class Reference {
  private files: ReadonlyMap<string, RawResponse> | undefined

  constructor(private readonly document: () => OpenApiDocument) {}

  /**
   * Undefined for other paths.
   *
   * @throws ApiError METHOD_NOT_ALLOWED for other methods than GET and HEAD
   */
  answer(method: string, path: string, ifNoneMatch: string | undefined): RawResponse | undefined {
    this.files ??= filesOf(this.document())
    const file = this.files.get(path.startsWith('/v1/') ? path.slice(3) : path)
    if (file === undefined) return undefined
    if (method !== 'GET' && method !== 'HEAD')
      throw new HttpError('METHOD_NOT_ALLOWED', 'This path accepts GET, HEAD', [], { Allow: 'GET, HEAD' })
    return unlessUnchanged(file, ifNoneMatch)
  }
}

function filesOf(document: OpenApiDocument): ReadonlyMap<string, RawResponse> {
  return new Map<string, RawResponse>([
    ...[...referencePage()].map(
      ([path, { type, text, headers }]) => [path, answer(type, text, headers)] as const,
    ),
    ['/reference/bucketing.json', answer(JSON_TYPE, JSON.stringify(bucketingDocument()))],
    ['/reference/openapi.json', answer(JSON_TYPE, JSON.stringify(document))],
    ...clientArchives(),
  ])
}

function answer(type: string, body: string, headers: Readonly<Record<string, string>> = {}): StoredResponse {
  return withEtag(
    { status: 200, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', ...headers }, body },
    undefined,
  )
}
