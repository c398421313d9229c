import { TimeoutError, withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { kafkaErrorType } from './connections.js'

const FIRST_MS = 500
const LONGEST_MS = 4_000

/**
 * Asks what any broker can answer, and what does no harm twice. One that stands still takes connections and says nothing, so another one is asked
 * before long; where all of them are slow, each round is given more time. Rejects after eight seconds at most.
 */
export async function requestAnyBroker<T>(question: () => Promise<T>): Promise<T> {
  let silence: TimeoutError | undefined
  for (let limitMs = FIRST_MS; ; limitMs *= 2) {
    try {
      return await withTimeout(limitMs, 'Kafka', question())
    } catch (error) {
      // A round that is given up after all closes its connection, under the later ones too.
      if (!(error instanceof TimeoutError))
        throw kafkaErrorType(error) === undefined ? (silence ?? error) : error
      if (limitMs >= LONGEST_MS) throw error
      silence = error
    }
  }
}
