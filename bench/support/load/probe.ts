import { setTimeout as sleep } from 'node:timers/promises'
import { call, countOf, type RunningService } from '../../../test/support/service.js'

const SEND_MS = 25
const POLL_MS = 10

/**
 * Sends single events one after the other and polls how many are visible: returns per event the milliseconds
 * from its 202 until it was visible. They share a log partition, so they become visible in the order sent.
 */
export async function probe(
  service: Pick<RunningService, 'api' | 'ingest' | 'keys'>,
  probing: { readonly on: boolean },
): Promise<number[]> {
  const accepted: number[] = []
  const times: number[] = []
  const { apiKey, serverKey } = service.keys
  const before = await countOf(service.api, apiKey, 'probe')
  const sending = (async () => {
    while (probing.on) {
      await call(serverKey, 'POST', `${service.ingest}/v1/events`, {
        events: [{ event: 'probe', userId: 'probe' }],
      })
      accepted.push(performance.now())
      await sleep(SEND_MS)
    }
  })()
  while (probing.on || times.length < accepted.length) {
    // If the API cannot answer now, nothing more counts as visible yet.
    const seen = (await countOf(service.api, apiKey, 'probe').catch(() => 0)) - before
    const now = performance.now()
    for (const at of accepted.slice(times.length, Math.max(times.length, seen))) times.push(now - at)
    await sleep(POLL_MS)
  }
  await sending
  return times
}
