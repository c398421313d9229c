import { TimeoutError, withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { kafkaErrorType } from './connections.js'

const FIRST_MS = 500
const LONGEST_MS = 4_000

/**
 * Sends an idempotent request that any broker can answer. A frozen broker stays silent, so others are tried
 * before long, and each round gets more time. Rejects after eight seconds at most.
 */
export async function requestAnyBroker<T>(question: () => Promise<T>): Promise<T> {
  let silence: TimeoutError | undefined
  for (let limitMs = FIRST_MS; ; limitMs *= 2) {
    try {
      return await withTimeout(limitMs, 'Kafka', question())
    } catch (error) {
      // A round that was given up closes its connections, also under later rounds.
      if (!(error instanceof TimeoutError))
        throw kafkaErrorType(error) === undefined ? (silence ?? error) : error
      if (limitMs >= LONGEST_MS) throw error
      silence = error
    }
  }
}
