import type { SentJob } from '../../management/jobs-port.js'
import type { Transaction } from '../../postgres/driver/client.js'
import type { Idempotency } from './idempotency.js'
import { toStoredResponse } from './response.js'
import type { Route } from './route.js'

/**
 * Writes the responses that wait for a job when it concludes, each in the form of its route. If this version
 * no longer has the route, the response is not written; the key is free again when the record expires.
 *
 * @param now milliseconds since 1970
 */
export function concludeDeferredResponses(
  routes: readonly Route[],
  idempotency: Idempotency,
  now: () => number,
): (tx: Transaction, job: SentJob) => Promise<void> {
  const byOperation = new Map(routes.map((route) => [route.operationId, route]))
  return (tx, job) =>
    idempotency.conclude(tx, job, async ({ operationId, workspaceId, subjectId }) => {
      const answer = await byOperation
        .get(operationId)
        ?.answerFromCurrentState?.(tx, workspaceId, subjectId, now())
      return answer === undefined ? undefined : toStoredResponse(answer)
    })
}
