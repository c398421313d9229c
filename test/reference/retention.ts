import type { RetentionCohort, RetentionQuery } from '../../domain/retention.js'
import { bucketAfter, type ReferenceEvent } from './funnel.js'
import { passes } from './property-filter.js'
import { buckets, personOf } from './trends.js'

/**
 * The answer to a query of retention, by the shortest way from the words of API.md section 11. Slow, and
 * independent of the compiler.
 *
 * @param links anonymous id → user id
 */
export function referenceRetention(
  events: readonly ReferenceEvent[],
  links: ReadonlyMap<string, string>,
  query: RetentionQuery,
  now: number,
): RetentionCohort[] {
  const starts = new Map<string, number>()
  for (const event of events)
    if (
      event.event === query.startEvent &&
      event.timestamp >= query.from &&
      event.timestamp < query.to &&
      query.startFilters.every((filter) => passes(event.properties, filter))
    ) {
      const person = personOf(event, links)
      starts.set(person, Math.min(event.timestamp, starts.get(person) ?? event.timestamp))
    }
  const returns = events.filter(
    (event) =>
      event.event === query.returnEvent &&
      query.returnFilters.every((filter) => passes(event.properties, filter)),
  )
  return buckets(query.from, query.to, query.interval).map(({ at, end }) => {
    const cohort = [...starts].filter(([, start]) => start >= at && start < end)
    const returned: (number | null)[] = []
    let begin = at
    for (let period = 0; period < query.periods; period++) {
      const after = bucketAfter(begin, query.interval)
      const persons = cohort.filter(([person, start]) =>
        returns.some(
          (event) =>
            personOf(event, links) === person &&
            event.timestamp >= Math.max(begin, start) &&
            event.timestamp < after,
        ),
      )
      returned.push(after <= now ? persons.length : null)
      begin = after
    }
    return {
      at,
      persons: cohort.length,
      complete: query.from <= at && end <= Math.min(query.to, now),
      returned,
    }
  })
}
