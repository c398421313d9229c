import { type Static, Type } from '@sinclair/typebox'
import { unseal } from '../../runtime/sealed-secret.js'
import { readVersion } from '../../runtime/version.js'
import { defineJob, type JobAttempt } from '../jobs/definition.js'
import { retryDelayMs, retryPolicy } from '../jobs/retry-policy.js'
import { signatureOf, slackBody, svcBody } from './message.js'
import { type DeliveryOutcome, postToHook } from './post.js'
import { failDelivery, findPendingDelivery, recordAttempt, secretPurpose } from './store.js'

const HOUR_MS = 3_600_000
const DEFAULT_RETRY_MS = 10_000

const payload = Type.Object({
  workspaceId: Type.String(),
  hookId: Type.String(),
  deliveryId: Type.String(),
})
type Payload = Static<typeof payload>

interface Attempt extends DeliveryOutcome {
  readonly retryMs: number
}

export const deliveryJobKey = ({ hookId, deliveryId }: Omit<Payload, 'workspaceId'>): string =>
  `${hookId} ${deliveryId}`

/**
 * Makes one attempt of a delivery. The database sends the first of these jobs with the event, and each failed
 * attempt the next one. A receiver that does not answer holds one of the slots.
 */
export const hookDeliveryJob = defineJob<typeof payload, Attempt | undefined>({
  name: 'hook-delivery',
  payload,
  concurrency: 16,
  serialBy: 'hookId',
  effect: attemptDelivery,
  async conclude(tx, { services, payload }, attempt) {
    if (attempt === undefined || !(await recordAttempt(tx, payload, attempt))) return
    await services.jobs.send(tx, hookDeliveryJob, payload, {
      key: deliveryJobKey(payload),
      startAfterMs: attempt.retryMs,
    })
  },
  failed: (tx, { payload }, reason) => failDelivery(tx, payload, reason),
})

/** Undefined if there is nothing to deliver any more. */
async function attemptDelivery({
  services,
  payload,
  signal,
}: JobAttempt<Payload>): Promise<Attempt | undefined> {
  const delivery = await findPendingDelivery(services.sql, payload)
  if (delivery === undefined) return undefined
  const secret = unseal(services.secretKey, secretPurpose(payload.hookId), delivery.secret)
  const body =
    delivery.format === 'slack'
      ? slackBody(delivery, services.consoleUrl())
      : svcBody(delivery, payload.workspaceId)
  const outcome = await postToHook(
    {
      url: delivery.url,
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `svc/${readVersion()}`,
        'Svc-Signature': signatureOf(secret, body, services.now()),
      },
    },
    { ...services.hooks, workspaceId: payload.workspaceId, signal },
  )
  // Nothing is known of an attempt that this process cut off.
  if (outcome.error !== undefined) signal.throwIfAborted()
  const { retryMs: initialIntervalMs = DEFAULT_RETRY_MS } = services.hooks
  const policy = retryPolicy({ initialIntervalMs, maxIntervalMs: HOUR_MS })
  return { ...outcome, retryMs: retryDelayMs(policy, delivery.attempts + 1, Math.random()) }
}
