/** The report of a visitor's browser that a variant was shown. Lengths are UTF-16 code units. */
export interface Exposure {
  event: '$exposure'
  /** The visitor's cookie, at most 255. */
  anonymousId: string
  /**
   * Computed by the relay from experiment, variant and visitor: the event counts once however often it is
   * sent.
   */
  insertId: string
  /** Keys: `a-z`, `0-9`, single hyphens in between, at most 64. */
  properties: { experiment: string; variant: string }
  /** When the relay received it, ISO 8601. */
  timestamp: string
}

/** Which experiments are served. The control is shown for any that is not listed. */
export interface ServingState {
  readonly version: 1
  /** By key: `true` if visitors are assigned and counted, else the key of the variant that everybody gets. */
  readonly experiments: Readonly<Record<string, true | string>>
}

export interface RelayFailure {
  /** What went wrong, without the key. */
  message: string
  /** Of svc's answer; null if there was none. */
  status: number | null
  /** Accepted exposures that will not be sent again; empty while they are tried again. */
  lost: readonly Exposure[]
}

export interface RelayOptions {
  /** Address of the ingestion API without `/v1`: `https://ingest.example.com`. */
  ingestUrl: string
  serverKey: string
  /**
   * Most exposures held in memory, some 300 bytes each. More are answered 503.
   *
   * @default 10_000
   */
  capacity?: number
  /**
   * How long `close()` tries to send, in milliseconds.
   *
   * @default 10_000
   */
  closeWithinMs?: number
  /**
   * Whether known crawlers and previews are shown the control of running experiments, and their exposures
   * dropped. The README lists them.
   *
   * @default true
   */
  ignoreCrawlers?: boolean
  /** Called for every failed attempt and every mistake in the set-up. Writes to standard error by default. */
  onError?: (failure: RelayFailure) => void
}

/** For sites that render their pages on a server. */
export interface ServingReader<Context extends readonly unknown[]> {
  /**
   * Resolves when `state()` can be used: at once, but for the first second after a start. Never rejects. On
   * an edge runtime call it in every request, with the context that has `waitUntil`.
   */
  ready(...context: Context): Promise<void>
  /**
   * The state; the same frozen object until something changes. Null before the first answer of svc, and after
   * an hour without any. Crawlers get shipped variants only, if you pass their `User-Agent`.
   */
  state(userAgent?: string | null): ServingState | null
  /** The value of `data-svc-state`, escaped for double quotes, for templates that do not escape. */
  stateAttribute(userAgent?: string | null): string
  /**
   * Accepts nothing more (503), sends what it holds, and resolves when that is done or `closeWithinMs` is
   * over.
   */
  close(): Promise<void>
}

/** A request of plain `http`, or of Express, whose parsers may have set `body`. */
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

export interface NodeHandler extends ServingReader<[]> {
  (request: NodeRequest | WrappedRequest, response: NodeResponse | WrappedReply): void
}

export interface FetchHandler extends ServingReader<[context?: unknown]> {
  /**
   * With a context that has `waitUntil` (edge runtimes) an exposure is sent before the answer: 204 then means
   * that svc has it, and 503 that it does not. Without one it is held and sent in batches, as `nodeHandler`
   * does.
   */
  (request: Request, context?: unknown): Promise<Response>
}

/**
 * For `http`, Express and Fastify. Mount it on the folder of the exposures path: `/_svc`.
 *
 * @throws TypeError if an option is wrong
 */
export function nodeHandler(options: RelayOptions): NodeHandler

/**
 * For servers that speak `Request` and `Response`. Mount it on the folder of the exposures path: `/_svc`.
 *
 * @throws TypeError if an option is wrong
 */
export function fetchHandler(options: RelayOptions): FetchHandler
