import type { Response } from 'hyper-express'
import { ClientGoneError } from './client-gone-error.js'

/** So long a client may take nothing in of what it was sent. */
const STALLED_CLIENT_MS = 30_000

/** An empty comment of an event stream. */
const COMMENT = ':\n\n'

/**
 * An event stream on its way out: what is written is sent as chunks. What the client has not taken in yet is held in memory by the server, without a bound of its own, so whoever writes waits where the
 * client is behind.
 */
export class SseStream {
  private hasUnsentData = false
  private ended = false
  private waiting: { resolve(): void; reject(error: Error): void; timer: NodeJS.Timeout }[] = []

  /**
   * Begins the answer; its status and headers have been set.
   *
   * @param signal aborted when the client goes away
   */
  constructor(
    private readonly response: Response,
    readonly signal: AbortSignal,
  ) {
    const { _raw_response: raw } = internals(response)
    // Called when there is room in the connection again. What is left of earlier writes goes out with the next one only, which must not be empty.
    raw.onWritable(() => {
      if (!this.isGone && !raw.write(COMMENT)) return false
      this.hasUnsentData = false
      this.wake((waiter) => waiter.resolve())
      return true
    })
    signal.addEventListener('abort', () => this.wake((waiter) => waiter.reject(new ClientGoneError())))
    response.atomic(() => internals(response)._initiate_response())
  }

  get isGone(): boolean {
    return this.ended || this.response.completed
  }

  /** Whether the client has yet to take in what was written. */
  get isBackpressured(): boolean {
    return this.hasUnsentData
  }

  write(text: string): void {
    if (this.isGone || text === '') return
    const { response } = this
    response.atomic(() => {
      if (!internals(response)._raw_response.write(text)) this.hasUnsentData = true
    })
  }

  /** Resolves when the client is behind no longer. Rejects with ClientGone where it goes away, or takes nothing in for half a minute: its connection is closed then. */
  drained(): Promise<void> {
    if (this.isGone) return Promise.reject(new ClientGoneError())
    if (!this.hasUnsentData) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(), STALLED_CLIENT_MS).unref()
      this.waiting.push({ resolve, reject, timer })
    })
  }

  /** The end of the answer. Where the client is behind its connection is closed: nobody waits for it. */
  end(): void {
    if (this.isGone) return
    if (this.hasUnsentData) {
      this.close()
      return
    }
    this.ended = true
    const { response } = this
    // Not to be told to close the connection: the header that says so would stand amid the chunks.
    response.atomic(() => internals(response)._raw_response.end(''))
    response.completed = true
    internals(response).route.app._resolve_pending_request()
    this.wake((waiter) => waiter.reject(new ClientGoneError()))
  }

  private close(): void {
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

/** Members of hyper-express 6.17's Response that its types leave out. */
interface ResponseInternals {
  readonly route: { readonly app: { _resolve_pending_request(): void } }
  readonly _raw_response: {
    write(text: string): boolean
    end(text: string): void
    onWritable(handler: (offset: number) => boolean): void
  }
  _initiate_response(): boolean
}

function internals(response: Response): ResponseInternals {
  return response as unknown as ResponseInternals
}
