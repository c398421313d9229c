import { type ErrorTable, ServiceError } from '../runtime/errors.js'

/**
 * The event log between the gateway and the consumers: LMDB on one machine, or Kafka.
 *
 * A log has an id and partition counts fixed for its life. Partitions `0 … partitions - 1` hold events; the
 * `identityPartitions` after them hold links between anonymous ids and users.
 */
export interface LogRecord {
  readonly partition: number
  readonly payload: Uint8Array
  /** Events in the record, for the totals. Links do not count. */
  readonly events?: number
}

export interface StoredRecord {
  /** Grows along a partition. Gaps are normal. */
  readonly offset: number
  /** The reader's own copy. It may be changed in place until the next batch. */
  readonly payload: Uint8Array
}

export interface EventLog {
  /** A UUID: Kafka's topic id, or one created with the LMDB environment. */
  readonly id: string
  readonly partitions: number
  readonly identityPartitions: number

  /**
   * Writes the records of one request, all or none, durably.
   *
   * @throws LogUnavailableError if none was written, LogOutcomeUnknownError if that cannot be known
   */
  append(records: readonly LogRecord[]): Promise<void>

  /** Reads partitions in order, one batch at a time, until `signal` aborts and the handler has returned. */
  consume(options: ConsumeOptions, handler: PartitionHandler, signal: AbortSignal): Promise<void>

  /** The offset after the last durable record. Everything accepted before the call lies below it. */
  end(partition: number): Promise<number>

  /** Events appended since the log was created. Undefined if the log does not count them. */
  appendedEvents(): Promise<number | undefined>

  /** Records below `beforeOffset` may be removed. The embedded log does so; for Kafka it is a hint. */
  trim(partition: number, beforeOffset: number): Promise<void>

  /**
   * Overwrites what trimmed records left in files of this machine, if one of the texts is found in them.
   * Undefined if the log is elsewhere.
   */
  eraseTrimmed?(texts: readonly string[]): Promise<void>

  /** Resolves while the log accepts records, rejects otherwise. For readiness. */
  ping(): Promise<void>

  close(): Promise<void>
}

export interface ConsumeOptions {
  readonly kind: 'events' | 'identity'
  /** A batch ends before its payloads exceed this, but holds at least one record. */
  readonly maxBatchBytes: number
  /** A batch waits up to this long after the previous one, so that there are few batches. Milliseconds. */
  readonly lingerMs: number
  /** A batch of this size does not wait. @default maxBatchBytes */
  readonly enoughBytes?: number
}

export interface PartitionHandler {
  /** This process owns the partition from now on. Returns the offset to read from. */
  assigned(partition: number): Promise<number>
  /**
   * Handles one batch. If it rejects, infrastructure failed: after a pause `assigned` is called again, and
   * delivery goes on from the offset it returns.
   */
  handle(
    partition: number,
    records: readonly StoredRecord[],
    signal: AbortSignal,
    /**
     * The offset at which reading continues, after offsets without records.
     * @default the offset after the last record
     */
    next?: number,
  ): Promise<void>
  /**
   * No record is left below `offset`, although none came: those offsets were never committed. Called between
   * two batches, if a log has such offsets. Rejects like `handle`.
   */
  skipTo?(partition: number, offset: number): Promise<void>
  /**
   * The offset below which everything is stored for good, whatever fails now; undefined if it is not known.
   * @default behind the last record that was handled
   */
  committedTo?(partition: number): number | undefined
  revoked?(partition: number): void
}

/** The part of pino's loggers that the log uses. */
export type LogLogger = Readonly<Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>>

/** @throws RangeError */
export function assertPartition(partition: number, partitions: number): void {
  if (!(Number.isInteger(partition) && partition >= 0 && partition < partitions))
    throw new RangeError(`the log has no partition ${partition}`)
}

export const LOG_ERRORS = {
  /** Nothing was written, so a 503 is true and sending again is safe. */
  unavailable: { retryable: true },
  /** The records may or may not be there. Neither 202 nor 503 would be true. */
  outcome_unknown: { retryable: false },
  /** The log cannot be opened, because its disk is full. */
  disk_full: { retryable: false },
  /** The log has other partition counts, or another id, than the requested one. */
  layout: { retryable: false },
  /** The settings of a topic would lose or refuse acknowledged records. */
  settings: { retryable: false },
  /** Kafka refuses the login, a right or the certificate. */
  denied: { retryable: false },
  /** Stored data is damaged, or a position lies past the end. Nothing behind it can be read. */
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

export function isLogError(error: unknown, code: LogErrorCode): error is LogError {
  return error instanceof LogError && error.code === code
}
