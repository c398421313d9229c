import type { AcceptedBatch } from '../domain/event.js'
import { type EventLog, LogUnavailableError } from '../log/port.js'
import { encodeBatch, type WorkspaceHashKeys } from '../log/record.js'

/** The log takes longer than this: whether the events are there cannot be told. */
const APPEND_TIMEOUT_MS = 5_000

type AppendOutcome =
  | { readonly kind: 'durable' }
  /** Nothing was written. */
  | { readonly kind: 'unavailable'; readonly error: unknown }
  /** Nobody can tell. */
  | { readonly kind: 'unknown'; readonly error: unknown }

/** Anonymous keys whose pair with a user is durable, in the log or in Postgres: later pairs of theirs change nothing. */
export class LinkedKeys {
  private recent = new Set<bigint>()
  private older = new Set<bigint>()

  constructor(private readonly mostEach: number) {}

  has(key: bigint): boolean {
    return this.recent.has(key) || this.older.has(key)
  }

  add(key: bigint): void {
    this.recent.add(key)
    if (this.recent.size < this.mostEach) return
    this.older = this.recent
    this.recent = new Set()
  }
}

/**
 * Writes accepted requests to the log.
 *
 * @param durable called with the number of events whenever a request has become durable, be it after its answer
 */
export function createAppender(options: {
  readonly log: EventLog
  readonly linked: LinkedKeys
  readonly durable: (events: number) => void
}): (batch: AcceptedBatch, keys: WorkspaceHashKeys) => Promise<AppendOutcome> {
  const { log, linked, durable } = options
  const isLinked = (key: bigint): boolean => linked.has(key)
  return (batch, keys) => {
    const { records, linkedKeys } = encodeBatch(batch, keys, log, isLinked)
    return new Promise((resolve) => {
      const late = setTimeout(
        () => resolve({ kind: 'unknown', error: new Error('the log did not answer in time') }),
        APPEND_TIMEOUT_MS,
      )
      log.append(records).then(
        () => {
          clearTimeout(late)
          // Only now: a pair that was left out because of one that never became durable would be lost.
          for (const key of linkedKeys) linked.add(key)
          durable(batch.events.length)
          resolve({ kind: 'durable' })
        },
        (error: unknown) => {
          clearTimeout(late)
          resolve({ kind: error instanceof LogUnavailableError ? 'unavailable' : 'unknown', error })
        },
      )
    })
  }
}
