import { type ErrorTable, ServiceError } from '../runtime/errors.js'

/**
 * The event log: what stands between the gateway and the consumers. Two adapters: LMDB on one machine, Kafka past it.
 *
 * A log has an id and a partition count fixed for its life. Partitions `0 … partitions - 1` hold events; the
 * `identityPartitions` after them hold links between anonymous ids and users.
 */
export interface LogRecord {
  readonly partition: number
  readonly payload: Uint8Array
  /** Events in it, for the ledger; links are none. */
  readonly events?: number
}

export interface StoredRecord {
  /** Grows along a partition; gaps are normal. */
  readonly offset: number
  /** The reader's own copy: it may be changed in place until the next batch. */
  readonly payload: Uint8Array
}

export interface EventLog {
  /** A UUID: Kafka's topic id, or one made with the LMDB environment. */
  readonly id: string
  readonly partitions: number
  readonly identityPartitions: number

  /**
   * Writes the records of one request, all or none. Resolves when they are durable.
   * Rejects with `LogUnavailableError` when none was written, with `LogOutcomeUnknownError` when nobody can tell.
   */
  append(records: readonly LogRecord[]): Promise<void>

  /**
   * Reads partitions until `signal` aborts; resolves when the handler has returned for the last time.
   * Each partition in order and one batch at a time; partitions side by side.
   */
  consume(options: ConsumeOptions, handler: PartitionHandler, signal: AbortSignal): Promise<void>

  /** The offset after the last durable record: everything accepted before the call lies below it. */
  end(partition: number): Promise<number>

  /** Events appended since the log was made, by what the records said; undefined where the log does not count them. */
  appendedEvents(): Promise<number | undefined>

  /** Records below `beforeOffset` are not needed again. The embedded log removes them; for Kafka it is a hint. */
  trim(partition: number, beforeOffset: number): Promise<void>

  /** Resolves while the log can take records, rejects otherwise. For readiness. */
  ping(): Promise<void>

  close(): Promise<void>
}

export interface ConsumeOptions {
  readonly kind: 'events' | 'identity'
  /** A batch ends before its payloads exceed this, except that a single record is always delivered. */
  readonly maxBatchBytes: number
  /** A batch is held back up to this long after the previous one, so that batches, which cost much for being batches, are few. Milliseconds. */
  readonly lingerMs: number
  /** So much is not held back. `maxBatchBytes` where it is left out. */
  readonly enoughBytes?: number
}

export interface PartitionHandler {
  /** This process owns the partition from now on. Returns the offset to read from: the position is the handler's. */
  assigned(partition: number): Promise<number>
  /**
   * One batch. When it rejects, infrastructure failed: after a pause `assigned` is asked again and delivery goes on from the
   * offset it returns.
   */
  handle(
    partition: number,
    records: readonly StoredRecord[],
    signal: AbortSignal,
    /**
     * Where reading goes on: below it there is nothing but these records and what was handled before. Offsets between the last record and it hold none.
     * Where it is not said, it is the offset after the last record.
     */
    next?: number,
  ): Promise<void>
  /**
   * Nothing is left to handle below `offset`, though no record came: those up to there were never committed. Called between two batches, where a
   * log has such offsets at all; rejects like `handle`.
   */
  skipTo?(partition: number, offset: number): Promise<void>
  /** Ownership has ended. */
  revoked?(partition: number): void
}

/** What goes wrong with a log. */
export const LOG_ERRORS = {
  /** Nothing was written: true to answer 503, and safe to send again. */
  unavailable: { retryable: true },
  /** The records may or may not be there: neither 202 nor 503 would be true. */
  outcome_unknown: { retryable: false },
  /** The log has other partition counts, or is another log, than the one asked for. */
  layout: { retryable: false },
  /** The settings of a topic would lose or refuse acknowledged records. */
  settings: { retryable: false },
  /** The login, a right or the certificate is refused. */
  denied: { retryable: false },
  /** Stored data is not what this program wrote, or a position lies past the end. Nothing behind it can be read. */
  damaged: { retryable: false },
} as const satisfies ErrorTable

export type LogErrorCode = keyof typeof LOG_ERRORS

export class LogError extends ServiceError<LogErrorCode> {
  constructor(code: LogErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { ...options, code, ...LOG_ERRORS[code] })
  }
}

export class LogUnavailableError extends LogError {
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options)
  }
}

export class LogOutcomeUnknownError extends LogError {
  constructor(message: string, options?: ErrorOptions) {
    super('outcome_unknown', message, options)
  }
}

/** Whether an error is one of the log with that code. */
export function isLogError(error: unknown, code: LogErrorCode): error is LogError {
  return error instanceof LogError && error.code === code
}
