import type { Response } from 'hyper-express'
import { ClientGoneError } from './client-gone-error.js'

/** How long a client may leave sent data unread. */
const STALLED_CLIENT_MS = 30_000

/**
 * A response that is sent in chunks: server-sent events or NDJSON. The server buffers unread data without a
 * limit, so writers wait while the client is behind.
 */
export class ResponseStream {
  private hasUnsentData = false
  private ended = false
  private waiting: { resolve(): void; reject(error: Error): void; timer: NodeJS.Timeout }[] = []

  /**
   * Status and headers have been set.
   *
   * @param signal aborted when the client goes away
   * @param filler text without meaning, such as a comment
   */
  constructor(
    private readonly response: Response,
    readonly signal: AbortSignal,
    filler: string,
  ) {
    const { _raw_response: raw } = internalsOf(response)
    // The connection is writable again. Earlier data goes out only with the next write, which must not be
    // empty.
    raw.onWritable(() => {
      if (!this.isGone && !raw.write(filler)) return false
      this.hasUnsentData = false
      this.wake((waiter) => waiter.resolve())
      return true
    })
    signal.addEventListener('abort', () => this.wake((waiter) => waiter.reject(new ClientGoneError())))
    response.atomic(() => internalsOf(response)._initiate_response())
  }

  get isGone(): boolean {
    return this.ended || this.response.completed
  }

  /** Whether the client has unread data. */
  get isBackpressured(): boolean {
    return this.hasUnsentData
  }

  write(text: string): void {
    if (this.isGone || text === '') return
    const { response } = this
    response.atomic(() => {
      if (!internalsOf(response)._raw_response.write(text)) this.hasUnsentData = true
    })
  }

  /**
   * Resolves when the client has read everything. Rejects with ClientGoneError if it goes away or reads
   * nothing for half a minute; then the connection is closed.
   */
  drained(): Promise<void> {
    if (this.isGone) return Promise.reject(new ClientGoneError())
    if (!this.hasUnsentData) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(), STALLED_CLIENT_MS).unref()
      this.waiting.push({ resolve, reject, timer })
    })
  }

  /** Ends the stream with a last text. If the client is behind, its connection is closed instead. */
  end(last = ''): void {
    if (this.isGone) return
    if (this.hasUnsentData) {
      this.close()
      return
    }
    this.ended = true
    const { response } = this
    // `end` must not announce a close: the header would end up amid the chunks.
    response.atomic(() => internalsOf(response)._raw_response.end(last))
    response.completed = true
    internalsOf(response).route.app._resolve_pending_request()
    this.wake((waiter) => waiter.reject(new ClientGoneError()))
  }

  /** Breaks the connection, so that the client sees that something is missing. */
  close(): void {
    if (this.isGone) return
    this.response.close()
    this.ended = true
    this.wake((waiter) => waiter.reject(new ClientGoneError()))
  }

  private wake(call: (waiter: { resolve(): void; reject(error: Error): void }) => void): void {
    const { waiting } = this
    this.waiting = []
    for (const waiter of waiting) {
      clearTimeout(waiter.timer)
      call(waiter)
    }
  }
}

/** Members of hyper-express 6.17's Response that its types lack. */
interface ResponseInternals {
  completed: boolean
  readonly route: { readonly app: { _resolve_pending_request(): void } }
  readonly _raw_response: {
    write(text: string): boolean
    writeHeader(name: string, value: string): void
    end(text: string): void
    endWithoutBody(): void
    onWritable(handler: (offset: number) => boolean): void
    pause(): void
    close(): void
  }
  _initiate_response(): boolean
}

export function internalsOf(response: Response): ResponseInternals {
  return response as unknown as ResponseInternals
}
