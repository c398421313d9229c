import type { Response } from 'hyper-express'
import { ClientGoneError } from './client-gone-error.js'

/** How long a client may leave sent data unread. */
const STALLED_CLIENT_MS = 30_000

/** The server keeps data that the network does not accept, so it is given little at a time. */
const SLICE_BYTES = 16_384

/**
 * A response that is sent in chunks: server-sent events or a download. The server buffers unread data without
 * a limit, so writers wait while the client is behind.
 */
export class ResponseStream {
  private hasUnsentData = false
  private ended = false
  /** Data that waits until the client has read what came before. */
  private queue: (string | Uint8Array)[] = []
  private waiting: { resolve(): void; reject(error: Error): void; timer: NodeJS.Timeout }[] = []

  /**
   * Status and headers have been set.
   *
   * @param signal aborted when the client goes away
   * @param filler text without meaning, such as a comment, that pushes out the last event; undefined for a
   * download, whose next data does
   */
  constructor(
    private readonly response: Response,
    readonly signal: AbortSignal,
    private readonly filler: string | undefined,
  ) {
    const { _raw_response: raw } = internalsOf(response)
    // The connection is writable again. Earlier data goes out only with the next write, which must not be
    // empty.
    raw.onWritable(() => {
      if (!this.isGone && !this.sendQueued(this.filler)) return false
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

  write(data: string | Uint8Array): void {
    if (this.isGone || data.length === 0) return
    if (this.filler === undefined) this.queue.push(...slicesOf(Buffer.from(data)))
    else this.queue.push(data)
    if (this.hasUnsentData) return
    this.response.atomic(() => {
      if (!this.sendQueued(undefined)) this.hasUnsentData = true
    })
  }

  /** Whether the network has accepted all of it. */
  private sendQueued(last: string | undefined): boolean {
    const { _raw_response: raw } = internalsOf(this.response)
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift())
      if (!raw.write(next)) return false
    return last === undefined || raw.write(last)
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

function slicesOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / SLICE_BYTES)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * SLICE_BYTES, (i + 1) * SLICE_BYTES))
}

/** Members of hyper-express 6.17's Response that its types lack. */
interface ResponseInternals {
  completed: boolean
  readonly route: { readonly app: { _resolve_pending_request(): void } }
  readonly _raw_response: {
    write(data: string | Uint8Array): boolean
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
