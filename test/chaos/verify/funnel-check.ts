import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FunnelQuery, FunnelResult } from '../../../domain/funnel.js'
import { type ReferenceEvent, referenceFunnel } from '../../reference/funnel.js'
import { type FunnelFigures, queryFunnel } from '../systems/query-funnel.js'
import type { StoredLink, StoredRow, System } from '../systems/system.js'

/** Events of all kinds of requests that every company of clients sends. */
const STEPS = ['plain.0', 'keyed.1', 'mixed.2'].map((eventName) => ({
  name: eventName,
  eventName,
  filters: [],
}))
const WINDOW_SECONDS = 3_600
const MONTH_MS = 30 * 86_400_000
const LINKS_LIMIT_MS = 30_000
const LINKS_PAUSE_MS = 500

/** One funnel as a user queries it, compared with the reference over the rows as they are stored. */
export class FunnelCheck {
  private readonly events: ReferenceEvent[] = []

  rows(batch: readonly StoredRow[]): void {
    for (const row of batch)
      if (STEPS.some(({ eventName }) => eventName === row.event)) this.events.push(referenceOf(row))
  }

  async compare(
    system: System,
    links: readonly StoredLink[],
  ): Promise<{ readonly isEqual: boolean; readonly text: string }> {
    const now = system.clock.now()
    const query: FunnelQuery = {
      from: now - 2 * MONTH_MS,
      to: now + MONTH_MS,
      windowSeconds: WINDOW_SECONDS,
      order: 'ordered',
      filters: [],
      exclusions: [],
      breakdown: undefined,
      interval: undefined,
    }
    const userOf = new Map(links.map(({ anonymousId, userId }) => [anonymousId, userId]))
    const reference = referenceFunnel(this.events, userOf, STEPS, query, now)
    const right = comparable(reference)
    const ask = async () => comparable(await queryFunnel(system, STEPS, query))
    let answer = await ask()
    // A busy server loads new links into its dictionary some seconds later.
    for (const end = Date.now() + LINKS_LIMIT_MS; !isDeepStrictEqual(answer, right) && Date.now() < end; ) {
      await sleep(LINKS_PAUSE_MS)
      answer = await ask()
    }
    const isEqual = isDeepStrictEqual(answer, right)
    const should = isEqual ? 'as it should be' : `not ${JSON.stringify(right)}`
    const unlinked = referenceFunnel(this.events, new Map(), STEPS, query, now)
    const effect = `${unlinked.entered - reference.entered} fewer persons by links`
    return { isEqual, text: `the funnel is ${JSON.stringify(answer)}, ${should}, with ${effect}` }
  }
}

function referenceOf(row: StoredRow): ReferenceEvent {
  return {
    event: row.event,
    userId: row.userId === '' ? undefined : row.userId,
    anonymousId: row.anonymousId === '' ? undefined : row.anonymousId,
    properties: null,
    timestamp: row.timestamp,
    receivedAt: row.receivedAt,
    requestIndex: row.index,
    logPartition: row.partition,
    logOffset: row.offset,
  }
}

/** Times are rounded to milliseconds, because they are summed up in different orders. */
function comparable({ entered, completed, steps }: FunnelFigures | FunnelResult): unknown {
  const rounded = (seconds: number | null) => (seconds === null ? null : Math.round(seconds * 1_000))
  return {
    entered,
    completed,
    steps: steps.map((step) => ({
      count: step.count,
      medianMs: rounded(step.medianSecondsFromPrevious),
      p90Ms: rounded(step.p90SecondsFromPrevious),
    })),
  }
}
