import { setTimeout as sleep } from 'node:timers/promises'
import { call, type RunningService } from '../../test/support/service.js'

/**
 * Single events, one after the other, each asked for until it is there: milliseconds from its 202. Where nobody can say, it is not there yet.
 *
 * @param earlier how many were sent before
 */
export async function probe(
  service: Pick<RunningService, 'api' | 'ingest' | 'keys'>,
  probing: { readonly on: boolean },
  earlier = 0,
): Promise<number[]> {
  const times: number[] = []
  const seen = async (): Promise<number> => {
    const { status, body } = await call<{ data: { eventName: string; count: number }[] }>(
      service.keys.apiKey,
      'GET',
      `${service.api}/v1/funnel/events`,
    )
    return status === 200 ? (body.data.find(({ eventName }) => eventName === 'probe')?.count ?? 0) : 0
  }
  while (probing.on) {
    await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, {
      events: [{ event: 'probe', userId: 'probe' }],
    })
    const accepted = performance.now()
    while ((await seen()) <= earlier + times.length) await sleep(10)
    times.push(performance.now() - accepted)
    await sleep(20)
  }
  return times
}
