import { RequestFraming } from '../../runtime/request-framing.js'
import type { BodyEncoding } from './body.js'
import type { IngestRefusal } from './errors.js'
import type { HttpRequest } from './uws.js'

export interface RequestHead {
  readonly authorization: string | undefined
  /** A header that identifies the caller and was sent twice: a proxy may have read the other one. */
  readonly repeatedHeader: string | undefined
  /** Whether the header is present, with any value. */
  readonly hasOrigin: boolean
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** Undefined for a chunked body, and if there is none. */
  readonly contentLength: number | undefined
  readonly ifNoneMatch: string | undefined
  /** How a relay identifies itself: the header `Svc-Relay`. */
  readonly relay: string | undefined
  /** All `X-Forwarded-For` headers, joined by commas. */
  readonly forwardedFor: string | undefined
  readonly endsConnection: boolean
  /**
   * The headers leave open where the body ends and the next request begins. Such a request gets no answer,
   * since uWebSockets.js would go on with the rest of the packet, even if the answer closes the connection.
   */
  readonly isAmbiguous: boolean
}

/** The request is only valid during uWebSockets.js' handler call. */
export function readHead(req: HttpRequest, method: string): RequestHead {
  const framing = new RequestFraming(method)
  let authorization: string | undefined
  let hasWorkspaceId = false
  let repeatedHeader: string | undefined
  let hasOrigin = false
  let contentType: string | undefined
  let contentEncoding: string | undefined
  let ifNoneMatch: string | undefined
  let relay: string | undefined
  let forwardedFor: string | undefined
  req.forEach((name, value) => {
    switch (name) {
      case 'authorization':
        if (authorization !== undefined) repeatedHeader = 'Authorization'
        authorization = value
        break
      case 'x-workspace-id':
        if (hasWorkspaceId) repeatedHeader = 'X-Workspace-Id'
        hasWorkspaceId = true
        break
      case 'origin':
        hasOrigin = true
        break
      case 'content-type':
        contentType ??= value
        break
      case 'content-encoding':
        contentEncoding = contentEncoding === undefined ? value : `${contentEncoding}, ${value}`
        break
      case 'if-none-match':
        ifNoneMatch ??= value
        break
      case 'svc-relay':
        relay ??= value
        break
      case 'x-forwarded-for':
        forwardedFor = forwardedFor === undefined ? value : `${forwardedFor},${value}`
        break
      case 'content-length':
      case 'transfer-encoding':
      case 'connection':
        framing.header(name, value)
        break
    }
  })
  const length = framing.contentLength
  return {
    authorization,
    repeatedHeader,
    hasOrigin,
    contentType,
    contentEncoding,
    ifNoneMatch,
    relay,
    forwardedFor,
    contentLength: length === undefined || !/^\d+$/.test(length) ? undefined : Number(length),
    endsConnection: framing.endsConnection,
    isAmbiguous: framing.isAmbiguous,
  }
}

export function readContentEncoding(head: RequestHead): BodyEncoding | IngestRefusal {
  const { contentType } = head
  if (contentType !== undefined && contentType !== 'application/json') {
    const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
    if (type !== 'application/json')
      return unsupported('Content-Type', 'must be application/json or left out')
  }
  const encoding = head.contentEncoding?.trim().toLowerCase()
  switch (encoding) {
    case undefined:
    case '':
    case 'identity':
      return 'identity'
    case 'x-gzip':
      return 'gzip'
    case 'gzip':
    case 'deflate':
    case 'br':
      return encoding
    default:
      return unsupported('Content-Encoding', 'must be gzip, deflate or br, or left out')
  }
}

function unsupported(header: string, message: string): IngestRefusal {
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: `the header ${header} ${message}`,
    details: [{ path: `header.${header}`, message: `the header ${header} ${message}` }],
  }
}
