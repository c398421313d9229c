import { RequestFraming } from '../../runtime/request-framing.js'
import type { Encoding } from './body.js'
import type { IngestRefusal } from './errors.js'
import type { HttpRequest } from './uws.js'

/** What the gateway reads of a request before its body. */
export interface RequestHead {
  readonly authorization: string | undefined
  /** A header that decides who is asking and was sent twice: on the way, others may have read the other one. */
  readonly repeatedHeader: string | undefined
  /** Present at all, whatever it says. */
  readonly hasOrigin: boolean
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** Undefined for a chunked body, and where there is none. */
  readonly contentLength: number | undefined
  readonly ifNoneMatch: string | undefined
  /** How a relay calls itself: the header `Svc-Relay`. */
  readonly relay: string | undefined
  /** The connection ends with the answer, before anything that follows is read. */
  readonly endsConnection: boolean
  /**
   * The headers leave open where the body ends, and so where the next request begins. An answer would not do: uWebSockets.js goes on
   * with what it takes for the next request of the same segment, even when the answer closes the connection.
   */
  readonly isAmbiguous: boolean
}

/** Reads the headers; uWebSockets.js takes the request back when the handler returns or awaits. */
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
    contentLength: length === undefined || !/^\d+$/.test(length) ? undefined : Number(length),
    endsConnection: framing.endsConnection,
    isAmbiguous: framing.isAmbiguous,
  }
}

/** How the body is compressed, or why its media type or encoding is refused. */
export function readContentEncoding(head: RequestHead): Encoding | IngestRefusal {
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
