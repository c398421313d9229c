/**
 * What the headers of a request say about where it ends and what may follow it, for both HTTP servers.
 *
 * uWebSockets.js reads on where it takes a request to end, and a proxy in front may see that end elsewhere: an empty header name hides the headers behind it, sizes of chunks and
 * the line ends behind their data are not checked, the end of trailers is not looked for. What a proxy passed on as part of one client's body would then be carried out as
 * another's request. So wherever the end is not given by a Content-Length that was seen, nothing that follows is read: the connection ends with the answer.
 */
export class RequestFraming {
  /** As sent. */
  contentLength: string | undefined
  private transferEncoding: string | undefined
  private contradicts = false
  private closes = false

  /** @param method in any case */
  constructor(private readonly method: string) {}

  /** Takes a header in, in the order in which they came. @param name in lower case */
  header(name: string, value: string): void {
    switch (name) {
      case 'content-length':
        if (this.contentLength !== undefined && this.contentLength !== value) this.contradicts = true
        this.contentLength = value
        break
      case 'transfer-encoding':
        // The server takes any transfer encoding for `chunked`, and an empty one for none.
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

  /** Nobody can say where the body ends: such a request gets no answer, its connection ends at once. */
  get isAmbiguous(): boolean {
    return this.contradicts || (this.isChunked && this.contentLength !== undefined)
  }

  /**
   * The connection ends with the answer. That has to be given in a later turn of the event loop than the last bytes were read in: until there is an answer the server closes the connection
   * where it finds another request, but behind an answer it goes on with what came in the same packet, also where the answer closes the connection.
   */
  get endsConnection(): boolean {
    return this.closes || this.isChunked || (this.contentLength === undefined && BEARS_BODY.test(this.method))
  }
}

/** Methods whose requests have a body by their nature, so that one without a length may be hiding it. */
const BEARS_BODY = /^(?:post|put|patch)$/i

/**
 * Header `Keep-Alive` of an answer whose connection may be used again. The server closes idle connections after
 * 8 seconds or later, so a client that keeps to this never sends a request into a connection that is closing.
 */
export const KEEP_ALIVE = 'timeout=6'
