import { isDeepStrictEqual } from 'node:util'
import type { FunnelQuery, FunnelResult } from '../../../domain/funnel.js'
import { referenceFunnel } from '../../../test/reference/funnel.js'
import type { ClickHouse } from '../../port.js'
import { queryFunnel } from '../../queries/funnel/index.js'
import type { FunnelCase } from './funnel-cases.js'
import { referenceEvents, store, workspaceIdOf } from './funnel-store.js'

export const NOW = Date.UTC(2026, 10, 1, 0, 2)

export interface Difference {
  readonly case: FunnelCase
  readonly expected: FunnelResult
  readonly found: FunnelResult | Error
}

let stored = 0

/**
 * Stores all cases with one insert, queries each, and returns the first that differs from the reference,
 * reduced.
 */
export async function firstDifference(
  clickhouse: ClickHouse,
  cases: readonly FunnelCase[],
): Promise<Difference | undefined> {
  for (const difference of await differences(clickhouse, cases)) return shrink(clickhouse, difference)
  return undefined
}

export async function differences(
  clickhouse: ClickHouse,
  cases: readonly FunnelCase[],
): Promise<Difference[]> {
  const workspaces = cases.map((one) => ({
    workspaceId: workspaceIdOf(`case ${one.seed} ${stored++}`),
    requests: one.requests,
    links: new Map(one.links),
  }))
  await store(clickhouse, workspaces)
  const found = await Promise.all(
    cases.map(async (one, index): Promise<Difference | undefined> => {
      const expected = referenceFunnel(
        referenceEvents(one.requests),
        new Map(one.links),
        one.steps,
        one.query,
        NOW,
      )
      for (const maxInMemoryRows of formsOf(one.query)) {
        const answer = await ask(clickhouse, one, workspaces[index]?.workspaceId ?? '', maxInMemoryRows)
        if (!same(answer, expected)) return { case: one, expected, found: answer }
      }
      return undefined
    }),
  )
  return found.filter((difference) => difference !== undefined)
}

/**
 * Bounds of rows under which a query is answered in every form there is: walked here, and by the engine
 * alone.
 */
export function formsOf({ order, exclusions, breakdown }: FunnelQuery): readonly number[] {
  return order === 'ordered' && exclusions.length === 0 && breakdown === undefined ? [1_000_000, 0] : [0]
}

async function ask(
  clickhouse: ClickHouse,
  { steps, query }: FunnelCase,
  workspaceId: string,
  maxInMemoryRows: number,
): Promise<FunnelResult | Error> {
  try {
    return (await queryFunnel(clickhouse, { workspaceId, steps, query, now: NOW, maxInMemoryRows })).result
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Equal in everything; durations to a microsecond, as the two add in another order. */
export function same(a: FunnelResult | Error, b: FunnelResult): boolean {
  return isDeepStrictEqual(rounded(a), rounded(b))
}

export function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value === 'object' && value !== null && !(value instanceof Error))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item)]))
  return value
}

/** Removes every part of the case without which the difference remains. */
async function shrink(clickhouse: ClickHouse, difference: Difference): Promise<Difference> {
  for (;;) {
    const smaller = await differences(clickhouse, smallerCases(difference.case))
    const [next] = smaller
    if (next === undefined) return difference
    return shrink(clickhouse, next)
  }
}

function smallerCases(one: FunnelCase): FunnelCase[] {
  const smaller: FunnelCase[] = []
  const without = <T>(list: readonly T[], index: number) => list.filter((_, other) => other !== index)
  one.requests.forEach((request, at) => {
    smaller.push({ ...one, requests: without(one.requests, at) })
    request.events.forEach((event, index) => {
      const replaced = (events: typeof request.events) =>
        one.requests.map((other) => (other === request ? { ...request, events } : other))
      if (request.events.length > 1)
        smaller.push({ ...one, requests: replaced(without(request.events, index)) })
      if (JSON.stringify(event.properties) !== '{}')
        smaller.push({
          ...one,
          requests: replaced(
            request.events.map((other) => (other === event ? { ...event, properties: {} } : other)),
          ),
        })
    })
  })
  one.links.forEach((_, index) => {
    smaller.push({ ...one, links: without(one.links, index) })
  })
  one.steps.forEach((step, index) => {
    if (one.steps.length > 1 && one.query.exclusions.length === 0)
      smaller.push({ ...one, steps: without(one.steps, index) })
    if (step.filters.length > 0)
      smaller.push({
        ...one,
        steps: one.steps.map((other) => (other === step ? { ...step, filters: [] } : other)),
      })
  })
  const { query } = one
  query.filters.forEach((_, index) => {
    smaller.push({ ...one, query: { ...query, filters: without(query.filters, index) } })
  })
  query.exclusions.forEach((_, index) => {
    smaller.push({ ...one, query: { ...query, exclusions: without(query.exclusions, index) } })
  })
  if (query.breakdown !== undefined) smaller.push({ ...one, query: { ...query, breakdown: undefined } })
  if (query.interval !== undefined) smaller.push({ ...one, query: { ...query, interval: undefined } })
  return smaller
}

/** A difference for the eye: times relative to the query's `from`. */
export function describe(difference: Difference): string {
  const { case: one, expected, found } = difference
  const lines = one.requests.flatMap((request) =>
    request.events.map(
      (event, index) =>
        `${event.timestamp - one.query.from} ms ${event.event} user=${event.userId ?? '-'} anonymous=${event.anonymousId ?? '-'} ` +
        `received=${request.receivedAt} index=${index} log=${request.logPartition}/${request.logOffset} ${JSON.stringify(event.properties)}`,
    ),
  )
  return [
    `seed ${one.seed}`,
    ...lines,
    `links ${JSON.stringify(one.links)}`,
    ...one.steps.map((step) => `step ${step.eventName} ${JSON.stringify(step.filters)}`),
    `query ${JSON.stringify({ ...one.query, from: 0, to: one.query.to - one.query.from })}`,
    `expected ${JSON.stringify(expected)}`,
    `found    ${found instanceof Error ? found.message : JSON.stringify(found)}`,
  ].join('\n')
}
