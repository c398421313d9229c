import { ClickHouseError } from '../../clickhouse/port.js'
import { isPostgresDown } from '../../postgres/driver/errors.js'
import { errorMessage, ServiceError } from '../../runtime/errors.js'
import { DomainError } from '../domain-errors.js'

/** Why a job failed. The message is stored with the job and shown to people. */
export class JobError extends ServiceError<'permanent' | 'temporary'> {
  constructor(
    reason: string,
    options: { readonly retryable: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super(reason, { ...options, code: options.retryable ? 'temporary' : 'permanent' })
  }
}

/** An error that no retry can mend: the job fails at once. */
export function permanent(reason: string, cause?: unknown): JobError {
  return new JobError(reason, { retryable: false, cause })
}

/** Another worker has the job, because this one did not extend its lease in time. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

export interface RetryDecision {
  /**
   * `wait`: Postgres or ClickHouse cannot be reached, retry without a time limit. `retry`: retry within the
   * time limit of the job. `end`: fail for good. `lost`: another worker has the job.
   */
  readonly kind: 'wait' | 'retry' | 'end' | 'lost'
  readonly reason: string
  /** Shortest pause before the next attempt. */
  readonly retryAfterMs: number
}

/** A host may ask for a longer pause, and is called again after this one all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** A refused login is waited for as well, because an operator will put it right. */
const CLICKHOUSE_AWAY: ReadonlySet<ClickHouseError['code']> = new Set([
  'unavailable',
  'disk_full',
  'timeout',
  'denied',
  'closed',
])

/** The decision about an error of a job. An error that nothing classifies may be temporary: it is retried. */
export function classifyError(error: unknown): RetryDecision {
  const decide = (kind: RetryDecision['kind'], retryAfterMs = 0): RetryDecision => ({
    kind,
    reason: errorMessage(error),
    retryAfterMs,
  })
  if (error instanceof LeaseLostError) return decide('lost')
  if (error instanceof ClickHouseError) return decide(CLICKHOUSE_AWAY.has(error.code) ? 'wait' : 'retry')
  if (error instanceof DomainError) return decide(error.code === 'UNAVAILABLE' ? 'retry' : 'end')
  if (!(error instanceof ServiceError)) return decide(isPostgresDown(error) ? 'wait' : 'retry')
  return decide(error.retryable ? 'retry' : 'end', Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
}
