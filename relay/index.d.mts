/** What a visitor's browser says once about an experiment. Lengths are UTF-16 code units. */
export interface Exposure {
  event: '$exposure'
  /** The visitor's cookie, at most 255. */
  anonymousId: string
  /** Fixed by experiment, visitor and variant, at most 200: the event counts once however often it is sent. */
  insertId: string
  /** Keys as svc makes them: `a-z`, `0-9`, single hyphens in between, at most 64. */
  properties: { experiment: string; variant: string }
  /** When the relay took it, ISO 8601: what is held while ingestion is away happened then, and not when it arrives. */
  timestamp: string
}

export interface RelayFailure {
  /** What went wrong, without the key. */
  message: string
  /** Of ingestion's answer; null where there was none. */
  status: number | null
  /** Exposures that were taken and will not be sent again; empty while they are held and tried again. */
  lost: readonly Exposure[]
}

export interface RelayOptions {
  /** Where the ingestion API is, without `/v1`: `https://ingest.example.com`. */
  ingestUrl: string
  serverKey: string
  /** Exposures held at most, the ones on their way included; more are answered 503. 10,000 by default, some 300 bytes each. */
  capacity?: number
  /** How long `close()` tries, in milliseconds; 10,000 by default. */
  closeWithinMs?: number
  /** Told of every attempt that failed; by default a line on standard error. */
  onError?: (failure: RelayFailure) => void
}

interface Closing {
  /** Takes nothing more (503), sends what it holds, and resolves when that is done or its time is over. */
  close(): Promise<void>
}

/** A request of plain `http`, or of Express, whose parsers may have been there before (`body`). */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
}

/** A request and a reply of Fastify. */
export interface WrappedRequest {
  readonly raw: NodeRequest
}

export interface WrappedReply {
  readonly raw: NodeResponse
  hijack(): unknown
}

export interface NodeHandler extends Closing {
  (request: NodeRequest | WrappedRequest, response: NodeResponse | WrappedReply): void
}

export interface FetchHandler extends Closing {
  /**
   * With a context that has `waitUntil` (edge runtimes) the exposure is sent before the answer, within the request: 204 then means that ingestion
   * has it, and 503 that it does not. Without one it is held and sent in batches, as the handler for Node does.
   */
  (request: Request, context?: unknown): Promise<Response>
}

/** For `http`, Express and Fastify. Throws a TypeError on options that cannot be right. */
export function nodeHandler(options: RelayOptions): NodeHandler

/** For everything that speaks `Request` and `Response`. Throws a TypeError on options that cannot be right. */
export function fetchHandler(options: RelayOptions): FetchHandler
