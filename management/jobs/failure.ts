import { ClickHouseError } from '../../clickhouse/port.js'
import { isPostgresDown } from '../../postgres/errors.js'
import { errorMessage } from '../../runtime/errors.js'
import { DomainError } from '../domain-errors.js'

/** How a job failed, as data: whether trying again can mend it, and when at the earliest. The message is for people, and is kept. */
export class JobError extends Error {
  override readonly name = 'JobError'
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined

  constructor(
    reason: string,
    options: { readonly retryable: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super(reason, 'cause' in options ? { cause: options.cause } : {})
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs
  }
}

/** What trying again cannot mend: the job ends at once. */
export function permanent(reason: string, cause?: unknown): JobError {
  return new JobError(reason, { retryable: false, cause })
}

/** Another process carries the job out: this one was silent for too long. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

export interface RetryDecision {
  /**
   * `wait`: a store of our own is away, which is waited for as long as it takes. `retry`: tried again for the time of the job. `end`: over at once. `lost`:
   * another process has the job.
   */
  readonly kind: 'wait' | 'retry' | 'end' | 'lost'
  readonly reason: string
  readonly retryAfterMs: number
}

/** A host that asks for a longer pause is asked again all the same. */
const LONGEST_PAUSE_MS = 3_600_000

/** What becomes of a job that failed so. What nobody expected may be a matter of the moment, so it is tried again. */
export function classifyError(error: unknown): RetryDecision {
  const reason = errorMessage(error)
  if (error instanceof LeaseLostError) return { kind: 'lost', reason, retryAfterMs: 0 }
  if (error instanceof ClickHouseError)
    return { kind: isAway(error) ? 'wait' : 'retry', reason, retryAfterMs: 0 }
  if (error instanceof DomainError)
    return { kind: error.code === 'UNAVAILABLE' ? 'retry' : 'end', reason, retryAfterMs: 0 }
  const { retryable, retryAfterMs } = Object(error) as { retryable?: unknown; retryAfterMs?: unknown }
  if (typeof retryable !== 'boolean')
    return { kind: isPostgresDown(error) ? 'wait' : 'retry', reason, retryAfterMs: 0 }
  const pauseMs = typeof retryAfterMs === 'number' ? Math.min(retryAfterMs, LONGEST_PAUSE_MS) : 0
  return { kind: retryable ? 'retry' : 'end', reason, retryAfterMs: pauseMs }
}

/** A refused login is waited for as well: an operator will put it right. */
function isAway({ code }: ClickHouseError): boolean {
  return code === 'unavailable' || code === 'timeout' || code === 'denied' || code === 'closed'
}
