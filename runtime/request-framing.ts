/**
 * Guard against request smuggling, for both HTTP servers: where a request ends, by its headers.
 *
 * uWebSockets.js and a proxy in front of it may see that end in different places: an empty header name hides
 * the headers behind it, and neither chunk sizes, nor line ends behind chunks, nor the end of trailers are
 * checked. A part of one client's body would then be executed as another client's request. So unless a
 * Content-Length gives the end, nothing after the request is read, and the connection closes with the
 * response.
 */
export class RequestFraming {
  contentLength: string | undefined
  private transferEncoding: string | undefined
  private contradicts = false
  private closes = false

  /** @param method in any case */
  constructor(private readonly method: string) {}

  /** To be called for each header, in order. @param name in lower case */
  header(name: string, value: string): void {
    switch (name) {
      case 'content-length':
        if (this.contentLength !== undefined && this.contentLength !== value) this.contradicts = true
        this.contentLength = value
        break
      case 'transfer-encoding':
        // The server treats any transfer encoding as `chunked`, and an empty one as none.
        if (this.transferEncoding !== undefined || value.toLowerCase() !== 'chunked') this.contradicts = true
        this.transferEncoding = value
        break
      case 'connection':
        if (/(?:^|,)\s*close\s*(?:,|$)/i.test(value)) this.closes = true
        break
    }
  }

  get isChunked(): boolean {
    return this.transferEncoding !== undefined
  }

  /** The headers contradict each other about the end. Close the connection at once, without a response. */
  get isAmbiguous(): boolean {
    return this.contradicts || (this.isChunked && this.contentLength !== undefined)
  }

  /**
   * The connection closes with the response. Respond in a later turn of the event loop than the one that read
   * the last bytes: before the response the server drops a connection that sends another request, but right
   * after it the server executes what came in the same packet, even if the response closes the connection.
   */
  get endsConnection(): boolean {
    return this.closes || this.isChunked || (this.contentLength === undefined && BEARS_BODY.test(this.method))
  }
}

/** Methods whose requests normally have a body, so a missing length may hide one. */
const BEARS_BODY = /^(?:post|put|patch)$/i

/**
 * Header `Keep-Alive` of an answer whose connection may be used again. The server closes idle connections
 * after 8 seconds or later, so a client that keeps to this never sends a request into a closing connection.
 */
export const KEEP_ALIVE = 'timeout=6'
