import type { JsonValue } from '../../domain/funnel.js'
import { lookUp } from './property-filter.js'

/** Fields that decide the position of an event in the order of events. */
export interface Placed {
  readonly timestamp: number
  readonly receivedAt: number
  readonly requestIndex: number
  readonly logPartition: number
  readonly logOffset: number
}

export interface ExposureEvent extends Placed {
  readonly event: string
  readonly properties: JsonValue
}

/** Period and variants of an experiment, which decide which exposures count. Times in milliseconds. */
export interface ExposurePeriod {
  readonly key: string
  /** Null if it never started. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly variants: readonly string[]
}

export function inOrder(a: Placed, b: Placed): number {
  return (
    a.timestamp - b.timestamp ||
    a.receivedAt - b.receivedAt ||
    a.requestIndex - b.requestIndex ||
    a.logPartition - b.logPartition ||
    a.logOffset - b.logOffset
  )
}

export function isExposure({ event, properties }: ExposureEvent, { key }: ExposurePeriod): boolean {
  return event === '$exposure' && lookUp(properties, 'experiment') === key
}

export function isKnown({ properties }: ExposureEvent, { variants }: ExposurePeriod): boolean {
  const variant = lookUp(properties, 'variant')
  return typeof variant === 'string' && variants.includes(variant)
}

export function timeOf(
  { timestamp }: Placed,
  { startedAt, endedAt }: ExposurePeriod,
): 'before' | 'during' | 'after' {
  if (startedAt === null || timestamp < startedAt) return 'before'
  return endedAt !== null && timestamp > endedAt ? 'after' : 'during'
}

/**
 * The first exposure of a person that counts, from the person's events in order; `variant` is null if the
 * person saw several.
 */
export function exposureOf<Event extends ExposureEvent>(
  history: readonly Event[],
  period: ExposurePeriod,
): { readonly first: Event; readonly variant: string | null } | undefined {
  const counted = history.filter(
    (event) => isExposure(event, period) && timeOf(event, period) === 'during' && isKnown(event, period),
  )
  const variants = new Set(counted.map((event) => String(lookUp(event.properties, 'variant'))))
  const [first] = counted
  const [variant = null] = variants
  return first === undefined ? undefined : { first, variant: variants.size > 1 ? null : variant }
}
