import { type FunnelCase, randomCase } from './funnel-cases.js'
import type { StoredEvent, StoredRequest } from './funnel-store.js'

/**
 * A random case (`randomCase`) asked for by the variants of an experiment, with exposures of its persons
 * among its events: ties, second variants and other times too.
 */
export function randomExperimentCase(seed: number): FunnelCase {
  const one = randomCase(seed, { breakdown: false })
  let state = seed
  const int = (low: number, high: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return low + ((state >>> 12) % (high - low + 1))
  }
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T
  const events = one.requests.flatMap((request) => request.events)
  const times = events.length === 0 ? [one.query.from] : events.map(({ timestamp }) => timestamp)
  const time = () => pick(times) + (int(0, 3) === 0 ? int(-1, 1) : 0)
  const known = ['control', 'b', 'c']
  const used = known.slice(0, pick([1, 1, 2, 3]))
  const exposure = (person: Pick<StoredEvent, 'userId' | 'anonymousId'>): StoredEvent => ({
    event: '$exposure',
    ...person,
    properties: {
      experiment: int(0, 9) === 0 ? 'other' : 'e',
      variant: int(0, 9) === 0 ? 'gone' : pick(used),
      p: 1,
    },
    timestamp: int(0, 2) > 0 ? Math.min(...times) : time(),
  })
  const persons = [
    ...new Map(
      events.map(({ userId, anonymousId }) => [
        `${userId} ${anonymousId}`,
        {
          ...(userId === undefined ? {} : { userId }),
          ...(anonymousId === undefined ? {} : { anonymousId }),
        },
      ]),
    ).values(),
  ]
  const exposures = persons.filter(() => int(0, 4) > 0).map(exposure)
  const last = one.requests.at(-1)
  const requests: StoredRequest[] = [
    ...one.requests,
    ...exposures.map((event, index) => ({
      receivedAt: (last?.receivedAt ?? one.query.from) + int(-1, 1) * 30_000,
      logPartition: int(0, 2),
      logOffset: 1_000 + index,
      events: [event],
    })),
  ]
  const startedAt = int(0, 19) === 0 ? null : int(0, 2) > 0 ? Math.min(...times) - 10 : time()
  const endedAt = startedAt === null || int(0, 1) === 0 ? null : Math.max(startedAt, time())
  const settling = pick([0, 0, 1, 30_000, 86_400_000])
  const measuredUntil = endedAt === null ? null : endedAt + settling
  const exposureStep = one.steps.length > 1 && int(0, 4) === 0
  return {
    ...one,
    requests,
    steps: exposureStep
      ? [{ name: 'seen', eventName: '$exposure', filters: [] }, ...one.steps.slice(1)]
      : one.steps,
    query: { ...one.query, experiment: { key: 'e', variants: known, startedAt, endedAt, measuredUntil } },
  }
}
