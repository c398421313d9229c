/** A message of the stream. */
export interface LiveMessage {
  readonly name: 'event' | 'rate' | 'gap' | 'end'
  /** JSON on one line. */
  readonly data: string
  /** Cursor after this message. Undefined if it stays the same. */
  readonly cursor: string | undefined
}

/** A connection that reads the live events. */
export interface LiveReader {
  /** Rejects if the reader has lost its permission. Called every second. */
  mayRead(): Promise<void>
  /** Never rejects. A backpressured reader gets nothing more. */
  send(messages: readonly LiveMessage[]): void
  /** Keeps the connection alive and tells the cursor. */
  heartbeat(cursor: string | undefined): void
  /** Whether the connection has not sent everything yet. */
  readonly isBackpressured: boolean
  /** Resolves when everything was sent. Rejects if that takes too long. */
  drained(): Promise<void>
  end(): void
}
