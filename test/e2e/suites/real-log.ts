import type { Test } from 'tap'
import type { FunnelQuery, FunnelResult, FunnelStep, JsonValue } from '../../../domain/funnel.js'
import { type ReferenceEvent, referenceFunnel } from '../../reference/funnel.js'
import type { Deployment } from '../../support/deployment.js'
import { readEventLog } from '../../support/event-log.js'
import { call, callAgain, hasHelpdeskFile, helpdeskFile, storedEvents, until } from '../../support/service.js'

interface ListedEvent {
  readonly event: string
  readonly userId: string
  readonly insertId: string
  readonly timestamp: string
  readonly receivedAt: string
  readonly timestampAdjustment: string
  readonly properties: JsonValue
}

const FUNNELS: ReadonlyArray<readonly string[]> = [
  ['Assign_seriousness', 'Closed'],
  ['Assign_seriousness', 'Take_in_charge_ticket', 'Resolve_ticket'],
  ['Assign_seriousness', 'Take_in_charge_ticket', 'Resolve_ticket', 'Closed'],
  ['Assign_seriousness', 'Take_in_charge_ticket', 'Wait', 'Resolve_ticket', 'Closed'],
  [
    'Assign_seriousness',
    'Take_in_charge_ticket',
    'Take_in_charge_ticket',
    'Wait',
    'Resolve_ticket',
    'Closed',
  ],
]
/** Options of the queries, one after the other. */
const OPTIONS: readonly Partial<FunnelQuery>[] = [
  { order: 'strict', interval: 'day' },
  { order: 'any', breakdown: { property: 'resource', limit: 5 } },
  {
    exclusions: [{ eventName: 'Wait', fromStep: 0, toStep: 1 }],
    breakdown: { property: 'resource', limit: 50 },
  },
  { order: 'any', exclusions: [{ eventName: 'Require_upgrade', fromStep: 0, toStep: 1 }], interval: 'week' },
  { order: 'strict', exclusions: [{ eventName: 'Wait', fromStep: 0, toStep: 1 }], interval: 'hour' },
  { filters: [{ property: 'resource', operator: 'neq', value: 'Value 1' }], interval: 'month' },
]
const BATCH = 500

interface FunnelAnswer extends Omit<FunnelResult, 'trend'> {
  readonly trend: (Omit<NonNullable<FunnelResult['trend']>[number], 'at'> & { readonly at: string })[] | null
}

export const NO_REAL_LOG = hasHelpdeskFile()
  ? false
  : 'optional: the event log helpdesk.ndjson.gz is not on this machine'

/**
 * Funnels of a real event log, sent twice over HTTP to a service that has no events yet, equal the reference
 * in every number.
 */
export async function testRealLog(
  t: Test,
  service: Deployment,
  /** Of the queries, beside the window by itself. */
  options: readonly Partial<FunnelQuery>[] = OPTIONS,
): Promise<void> {
  const { apiKey, serverKey } = service.keys
  const events = await readEventLog(helpdeskFile, Date.now() - 60_000)
  for (let pass = 0; pass < 2; pass++)
    for (let at = 0; at < events.length; at += BATCH) {
      const answer = await callAgain(serverKey, 'POST', () => `${service.ingest}/v1/events`, {
        events: events.slice(at, at + BATCH),
      })
      if (answer.status !== 202) throw new Error(`refused: ${JSON.stringify(answer.body)}`)
    }
  t.equal(
    await until(
      () => storedEvents(service),
      (count) => count >= events.length,
    ),
    events.length,
    'each event once',
  )
  t.same(await service.settled(), { stored: events.length, duplicates: events.length, dead: 0 })
  t.equal(await storedEvents(service), events.length, 'still once')

  const listed: ListedEvent[] = []
  for (let offset = 0; ; offset += 100) {
    const page = await call<{ data: ListedEvent[]; pagination: { hasMore: boolean; total: number } }>(
      apiKey,
      'GET',
      `${service.api}/v1/events?limit=100&offset=${offset}`,
    )
    listed.push(...page.body.data)
    if (!page.body.pagination.hasMore) break
  }
  t.equal(listed.length, events.length)
  const byInsertId = new Map(listed.map((event) => [event.insertId, event]))
  const reference = events.map((sent, position): ReferenceEvent => {
    const stored = byInsertId.get(sent.insertId ?? '')
    if (stored === undefined) throw new Error(`${sent.insertId} is not listed`)
    if (stored.event !== sent.event || stored.timestamp !== sent.timestamp || stored.userId !== sent.userId)
      throw new Error(`stored differently: ${JSON.stringify(stored)} instead of ${JSON.stringify(sent)}`)
    return {
      event: stored.event,
      userId: stored.userId,
      anonymousId: undefined,
      properties: stored.properties,
      timestamp: Date.parse(stored.timestamp),
      receivedAt: Date.parse(stored.receivedAt),
      requestIndex: position % BATCH,
      logPartition: 0,
      logOffset: Math.floor(position / BATCH),
    }
  })
  t.strictSame(
    byInsertId.get(events[7]?.insertId ?? '')?.properties,
    events[7]?.properties,
    'properties come back as they were sent',
  )

  for (const names of FUNNELS)
    for (const windowSeconds of [1_800, 86_400, 604_800]) {
      const steps: FunnelStep[] = names.map((eventName) => ({ name: eventName, eventName, filters: [] }))
      const made = await call<{ id: string }>(apiKey, 'POST', `${service.api}/v1/funnel`, {
        name: `${names.length} steps, ${windowSeconds} s`,
        steps: names.map((eventName) => ({ eventName })),
        windowSeconds,
      })
      t.equal(made.status, 201)
      // The window by itself, then one option of the query after the other.
      const changes = windowSeconds === 604_800 ? [{}, ...options] : [{}]
      for (const change of changes) {
        const to = Date.now() + 60_000
        const from = to - 20 * 86_400_000
        const { body, status } = await call<FunnelAnswer>(
          apiKey,
          'POST',
          `${service.api}/v1/funnel/${made.body.id}/query`,
          { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...change },
        )
        const query: FunnelQuery = {
          from,
          to,
          windowSeconds,
          order: 'ordered',
          filters: [],
          exclusions: [],
          breakdown: undefined,
          interval: undefined,
          ...change,
        }
        const right = referenceFunnel(reference, new Map(), steps, query, to)
        const label = `${names.length} steps within ${windowSeconds} s, ${JSON.stringify(change)}: ${right.completed} of ${right.entered}`
        t.equal(status, 200, label)
        const { entered, completed, conversionRate, breakdown } = body
        t.strictSame(
          rounded({
            entered,
            completed,
            conversionRate,
            steps: body.steps,
            breakdown,
            trend: body.trend?.map((point) => ({ ...point, at: Date.parse(point.at) })) ?? null,
          }),
          rounded(right),
          label,
        )
      }
    }
}

/** To the microsecond: the two interpolate quantiles in different units. */
function rounded(steps: unknown): unknown {
  return JSON.parse(JSON.stringify(steps), (_, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
  )
}
