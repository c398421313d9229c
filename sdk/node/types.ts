/** Names of events and the properties of each. `svc events types` writes this for a workspace. */
export type EventMap = { [eventName: string]: object }

/** One thing that happened. One of `userId` and `anonymousId` is required. */
export type TrackedEvent<Events extends EventMap = EventMap> = {
  [Name in keyof Events & string]: {
    /** 1 to 500 characters of `A-Z a-z 0-9 _ . - $`. */
    event: Name
    userId?: string | null | undefined
    anonymousId?: string | null | undefined
    /** @default the time of the call */
    timestamp?: Date | string | null | undefined
    /**
     * The event is stored once for each id in a calendar month.
     *
     * @default a random UUID
     */
    insertId?: string | null | undefined
  } & (object extends Events[Name]
    ? { properties?: Events[Name] | null | undefined }
    : { properties: Events[Name] })
}[keyof Events & string]

/** A failure that `onError` gets. */
export interface SvcFailure {
  /**
   * The code of svc's answer, or one of these:
   *
   * - `NO_ANSWER`: the network failed, svc took too long, or another server answered. It is tried again.
   * - `QUEUE_FULL`: `maxQueueBytes` is used up. Reported once until svc accepts events again.
   * - `EVENT_INVALID`, `EVENT_TOO_LARGE`: `track` returned false.
   * - `CLOSED`: the time of `close` was over before svc had accepted these events.
   * - `SPOOL_LOCKED`: another process uses the spool folder. `SPOOL_FAILED`: the disk refused.
   * - `NOT_CONFIGURED`: no usable key or address. Every `track` returns false.
   */
  code: string
  message: string
  /** Status of svc's answer; null without one. */
  status: number | null
  /** The events that will never be sent again; empty while they are tried again. */
  events: readonly unknown[]
}

/** Something that svc accepted, but that is probably not meant. */
export interface SvcWarning {
  /** `UNKNOWN_FIELD`, `NUMBER_ROUNDED`, `CLAMPED_PAST`, `CLAMPED_FUTURE` or `PLACEHOLDER_ID`. */
  code: string
  /** Name of the event. */
  event: string
  /** As in the event, such as `properties.total`. */
  field: string
  /** Goes on after the field: `is not a field of svc and was ignored`. */
  message: string
  /** How often it is in one request. svc names at most twenty warnings of a request. */
  count: number
}

export interface SvcOptions {
  /**
   * Address of the ingestion API without `/v1`.
   *
   * @default SVC_INGEST_URL, else http://127.0.0.1:8080
   */
  url?: string | undefined
  /**
   * A server key.
   *
   * @default SVC_SERVER_KEY
   */
  key?: string | undefined
  /**
   * Sends as soon as this many events wait; at most 500.
   *
   * @default 500
   */
  flushAt?: number | undefined
  /**
   * The longest time that an event waits for others.
   *
   * @default 1000
   */
  flushIntervalMs?: number | undefined
  /**
   * Memory for events that wait. When it is full, `track` returns false.
   *
   * @default 67_108_864 (64 MiB)
   */
  maxQueueBytes?: number | undefined
  /** A folder of this process alone, for `trackDurably`. Made if it does not exist. */
  spool?: string | undefined
  /**
   * With `spool`: every `track` is a `trackDurably`.
   *
   * @default false
   */
  durable?: boolean | undefined
  /**
   * Compresses bodies above 1 KiB.
   *
   * @default true
   */
  gzip?: boolean | undefined
  /**
   * The longest time for one request.
   *
   * @default 10_000
   */
  timeoutMs?: number | undefined
  /** Called for every failure. Writes to standard error by default. */
  onError?: ((failure: SvcFailure) => void) | undefined
  /**
   * Asks svc for warnings about events that it accepts. Costs time: for development only.
   *
   * @default true if NODE_ENV is `development`
   */
  warnings?: boolean | undefined
  /**
   * Called for every kind of warning about a request. By default writes each once to standard error, at most
   * one a minute for each code.
   */
  onWarning?: ((warning: SvcWarning) => void) | undefined
}

/**
 * Counts of events since the start of this process. `tracked` + `recovered` = `accepted` + `refused` + `lost`
 * + `queued`.
 */
export interface SvcStats {
  /** Those for which `track` returned true. */
  tracked: number
  /** Found in the spool: left by an earlier process. */
  recovered: number
  /** svc has them on disk. */
  accepted: number
  /** svc refused them; `onError` got them. */
  refused: number
  /** In memory when the time of `close` was over; `onError` got them. */
  lost: number
  /** In memory and in the spool. */
  queued: number
  /** Those for which `track` returned false. */
  dropped: number
  /** Bytes of the events in memory. */
  queuedBytes: number
  /** HTTP requests, with repeated ones. */
  requests: number
  /** Requests that had to be repeated. */
  retries: number
  /**
   * `accepted` by the UTC hour of svc's answer, such as `2026-11-21T09:00:00.000Z`. As JSON in a file,
   * `svc ledger --compare` compares it with what arrived.
   */
  acceptedByHour: Record<string, number>
}

/** Sends events in the background, each stored once. No method throws or rejects. */
export interface SvcEvents<Events extends EventMap = EventMap> {
  /** Queues an event in memory. False if it was not: the queue is full or closed, or the event is invalid. */
  track(event: TrackedEvent<Events>): boolean
  /**
   * Resolves with true when the event is on disk in the spool folder: svc then gets it even if this process
   * is killed at once. False if it is not; `onError` says why.
   */
  trackDurably(event: TrackedEvent<Events>): Promise<boolean>
  /** Links a visitor to a user, in order with the tracked events. Returns as `track`. */
  alias(link: { anonymousId: string; userId: string }): boolean
  /**
   * Sends what is queued now. Resolves with true when svc has accepted or refused all of it; with false if it
   * has not within the time. Then it stays queued.
   *
   * @param ms `timeoutMs` by default
   */
  flush(ms?: number): Promise<boolean>
  /**
   * Accepts nothing more and sends what is queued. Resolves with true when all of it is settled, with false
   * if it is not within the time; the spool keeps its events for the next start.
   *
   * @param ms 5,000 by default
   */
  close(ms?: number): Promise<boolean>
  stats(): SvcStats
}

/** With `durable: true`: every `track` and `alias` is durable, and resolves when it is on disk. */
export interface DurableSvcEvents<Events extends EventMap = EventMap>
  extends Omit<SvcEvents<Events>, 'track' | 'alias'> {
  track(event: TrackedEvent<Events>): Promise<boolean>
  alias(link: { anonymousId: string; userId: string }): Promise<boolean>
}

export interface SvcEventsConstructor {
  new <Events extends EventMap = EventMap>(
    options: SvcOptions & { durable: true; spool: string },
  ): DurableSvcEvents<Events>
  new <Events extends EventMap = EventMap>(options?: SvcOptions): SvcEvents<Events>
}
