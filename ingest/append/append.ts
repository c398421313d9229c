import { type EventLog, type LogRecord, LogUnavailableError } from '../../log/port.js'
import { encodeLinks } from '../../log/record.js'
import type { EncodedRequest } from '../decode/fast-path/decoder.js'

/** After this time the outcome counts as unknown. */
const APPEND_TIMEOUT_MS = 5_000
/** Requests of one turn of the event loop are appended together, up to about this size. */
const MAX_BATCH_BYTES = 256 * 1024

export type AppendOutcome =
  | { readonly kind: 'durable' }
  /** Nothing was written. */
  | { readonly kind: 'unavailable'; readonly error: unknown }
  /** The events may or may not be in the log. */
  | { readonly kind: 'unknown'; readonly error: unknown }

const DURABLE: AppendOutcome = { kind: 'durable' }

/** Anonymous keys with a durable link, in the log or in Postgres: later pairs of theirs change nothing. */
export class LinkedKeys {
  private recent = new Set<bigint>()
  private older = new Set<bigint>()

  /** Keys of erased persons: their links are gone, or wait in withheld_links, so pairs are never left out. */
  private erased: ReadonlySet<bigint> = new Set()

  constructor(private readonly generationSize: number) {}

  has(key: bigint): boolean {
    return (this.recent.has(key) || this.older.has(key)) && !this.erased.has(key)
  }

  setErased(keys: ReadonlySet<bigint>): void {
    this.erased = keys
  }

  add(key: bigint): void {
    this.recent.add(key)
    if (this.recent.size < this.generationSize) return
    this.older = this.recent
    this.recent = new Set()
  }
}

/**
 * Writes an accepted request to the log. `onOutcome` is called later, never during the call. Throws if the
 * request cannot be encoded; then nothing is written.
 */
export type Append = (events: EncodedRequest, onOutcome: (outcome: AppendOutcome) => void) => void

interface PendingAppend {
  readonly events: number
  readonly linkedKeys: readonly bigint[]
  readonly release: (() => void) | undefined
  readonly onOutcome: (outcome: AppendOutcome) => void
}

/**
 * Requests of one turn of the event loop share an append, its promise and its timer; each is durable or
 * refused as a whole.
 *
 * @param durable called with the number of events of each request that becomes durable, even if after its
 * answer
 */
export function createAppender(options: {
  readonly log: EventLog
  readonly linked: LinkedKeys
  readonly durable: (events: number) => void
  readonly faultPoint?: ((name: 'gateway:before-append' | 'gateway:appended') => void) | undefined
}): Append {
  const { log, linked, durable, faultPoint } = options
  const isLinked = (key: bigint): boolean => linked.has(key)
  let records: LogRecord[] = []
  let waiting: PendingAppend[] = []
  let bytes = 0

  const write = async (
    group: readonly PendingAppend[],
    groupRecords: readonly LogRecord[],
  ): Promise<void> => {
    let told = false
    const tellAll = (outcome: AppendOutcome): void => {
      if (told) return
      told = true
      for (const { onOutcome } of group) onOutcome(outcome)
    }
    const late = setTimeout(
      () => tellAll({ kind: 'unknown', error: new Error('the log did not answer in time') }),
      APPEND_TIMEOUT_MS,
    )
    let outcome = DURABLE
    try {
      faultPoint?.('gateway:before-append')
      await log.append(groupRecords)
      faultPoint?.('gateway:appended')
    } catch (error) {
      outcome = { kind: error instanceof LogUnavailableError ? 'unavailable' : 'unknown', error }
    }
    clearTimeout(late)
    if (outcome === DURABLE)
      for (const { linkedKeys, events, release } of group) {
        // Only after success: a pair that was left out because of one that never became durable would be
        // lost.
        for (const key of linkedKeys) linked.add(key)
        durable(events)
        release?.()
      }
    tellAll(outcome)
  }

  const flush = (): void => {
    if (waiting.length === 0) return
    const group = waiting
    const groupRecords = records
    waiting = []
    records = []
    bytes = 0
    void write(group, groupRecords)
  }

  const add = (record: LogRecord): void => {
    records.push(record)
    bytes += record.payload.length
  }

  return (events, onOutcome) => {
    const links = encodeLinks(events, log, isLinked)
    if (waiting.length === 0) setImmediate(flush)
    for (const record of events.records) add(record)
    for (const record of links.records) add(record)
    waiting.push({
      events: events.count,
      linkedKeys: links.linkedKeys,
      release: events.release,
      onOutcome,
    })
    if (bytes >= MAX_BATCH_BYTES) flush()
  }
}
