import { setTimeout as sleep } from 'node:timers/promises'
import { call, countOf, type RunningService } from '../../../test/support/service.js'

const SEND_MS = 25
const LOOK_MS = 10

/**
 * Single events, sent one after the other, and a look every few milliseconds at how many of them can be seen: for each the milliseconds from its 202 until it was seen. They share a partition of the
 * log, so those that are seen are the first ones.
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
    // Where the API cannot say at the moment, nothing more is seen yet.
    const seen = (await countOf(service.api, apiKey, 'probe').catch(() => 0)) - before
    const now = performance.now()
    for (const at of accepted.slice(times.length, Math.max(times.length, seen))) times.push(now - at)
    await sleep(LOOK_MS)
  }
  await sending
  return times
}
