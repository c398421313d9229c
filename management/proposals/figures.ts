import type { FunnelStep } from '../../domain/funnel.js'
import type { EventFigure, FunnelFigure, KnownEvent, Request } from '../../generators/port.js'
import { answerFunnel, listFunnels } from '../funnels/index.js'
import type { Services } from '../services.js'

const DAYS_MS = 28 * 86_400_000
const WINDOW_SECONDS = 7 * 86_400
const MAX_FUNNELS = 5
const MAX_EVENTS = 20
/** Figures help a model and are not worth a long wait. */
const LIMITS = { maxSeconds: 20, maxMemoryBytes: 536_870_912, maxRows: 200_000_000, maxThreads: 1 }

/**
 * Persons of the most frequent events, and of each step of the saved funnels, in the last 28 days. Leaves out
 * what cannot be computed within the limits.
 */
export async function figuresOf(
  services: Services,
  workspaceId: string,
  vocabulary: readonly KnownEvent[],
  signal: AbortSignal,
): Promise<NonNullable<Request['figures']>> {
  const ask = (steps: readonly FunnelStep[], windowSeconds: number) =>
    personsOf(services, workspaceId, steps, windowSeconds, signal)
  const funnels: FunnelFigure[] = []
  for (const { name, steps, windowSeconds } of (await listFunnels(services.sql, workspaceId)).slice(
    0,
    MAX_FUNNELS,
  )) {
    const figures = await ask(steps, windowSeconds)
    if (figures !== undefined) funnels.push({ name, steps: figures })
  }
  const events: EventFigure[] = []
  for (const { eventName } of vocabulary.slice(0, MAX_EVENTS)) {
    const figures = await ask([{ eventName, name: eventName, filters: [] }], WINDOW_SECONDS)
    if (figures !== undefined) events.push(...figures)
  }
  return { events, funnels }
}

async function personsOf(
  services: Services,
  workspaceId: string,
  steps: readonly FunnelStep[],
  windowSeconds: number,
  signal: AbortSignal,
): Promise<EventFigure[] | undefined> {
  const to = services.now()
  try {
    const { result } = await answerFunnel(services, {
      workspaceId,
      steps,
      query: {
        from: to - DAYS_MS,
        to,
        windowSeconds,
        order: 'ordered',
        filters: [],
        exclusions: [],
        breakdown: undefined,
        interval: undefined,
      },
      now: to,
      limits: LIMITS,
      signal,
      repeatable: false,
    })
    return result.steps.map(({ eventName, count }) => ({ eventName, persons: count }))
  } catch (error) {
    signal.throwIfAborted()
    services.logger.info({ err: error, workspaceId }, 'Figures for a generation run could not be computed')
    return undefined
  }
}
