/** One thing that readers of the live events are told. */
export interface LiveMessage {
  readonly name: 'event' | 'rate' | 'gap' | 'end'
  /** JSON text on one line. */
  readonly data: string
  /** Where a reader stands that has it; undefined where that changes nothing. */
  readonly cursor: string | undefined
}

/** Who reads the live events, as the feed sees them. */
export interface LiveReader {
  /** Rejects where the reader may read no longer. Asked every second. */
  mayRead(): Promise<void>
  /** Takes messages in, never refuses; whoever is `behind` is given nothing more. */
  send(messages: readonly LiveMessage[]): void
  /** Shows that the connection lives, and where the reader stands. */
  heartbeat(cursor: string | undefined): void
  /** Has not taken in all that was sent. */
  readonly isBackpressured: boolean
  /** Resolves when the reader is behind no longer; rejects where that takes too long. */
  drained(): Promise<void>
  /** Nothing more will come. */
  end(): void
}
