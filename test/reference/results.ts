import type { TimestampAdjustment } from '../../domain/event.js'
import type { JsonValue, PropertyFilter } from '../../domain/funnel.js'
import { personId } from '../../domain/person.js'
import type { ExperimentCounts, Moments } from '../../domain/statistics/index.js'
import { type ExposurePeriod, exposureOf, inOrder, isExposure, isKnown, timeOf } from './exposures.js'
import type { ReferenceEvent } from './funnel.js'
import { inOneForm, lookUp, passes, sameJson, valueOrNull } from './property-filter.js'

/** An event with the mark that clamping left on it. */
export interface MeasuredEvent extends ReferenceEvent {
  readonly adjustment?: TimestampAdjustment
}

export interface ReferenceExperiment extends ExposurePeriod {
  readonly settlingMs: number
  readonly targets: readonly {
    readonly eventName: string
    readonly windowHours: number | null
    readonly filters: readonly PropertyFilter[]
    readonly mean: {
      readonly property: string
      readonly percentile: number | null
      readonly cuped: boolean
    } | null
  }[]
}

/**
 * A person who counts: the first exposure, and for each target whether they converted, the value, and the
 * value before.
 */
interface Person {
  readonly variant: string
  readonly first: MeasuredEvent
  /** All that count. */
  readonly exposures: readonly MeasuredEvent[]
  readonly targets: { converted: boolean; value: number; before: number }[]
}

interface Segment {
  readonly property: string
  readonly value: JsonValue
}

const THIRTY_DAYS = 30 * 24 * 3_600_000

/**
 * Counts an experiment's events by the shortest way from the words of docs/experiments/results.md: it looks
 * at every event of every person. Slow, and independent of the queries in every part.
 *
 * @param links anonymous id → user id
 * @param breakdown a property of exposures: counts by its value at each person's first one, largest first
 */
export function referenceResults(
  events: readonly MeasuredEvent[],
  links: ReadonlyMap<string, string>,
  experiment: ReferenceExperiment,
  breakdown?: { readonly property: string; readonly limit: number },
): { whole: ExperimentCounts; segments: { value: JsonValue; counts: ExperimentCounts }[] } {
  const left: { first: MeasuredEvent }[] = []
  const histories = new Map<string, MeasuredEvent[]>()
  for (const event of events) {
    const linked = event.anonymousId === undefined ? undefined : links.get(event.anonymousId)
    const person = personId(event.userId, event.anonymousId, linked)
    histories.set(person, [...(histories.get(person) ?? []), event])
  }
  const persons: Person[] = []
  for (const history of histories.values()) {
    history.sort(inOrder)
    const exposure = exposureOf(history, experiment)
    if (exposure === undefined) continue
    if (exposure.variant === null) left.push({ first: exposure.first })
    else persons.push(personOf(history, exposure.first, exposure.variant, experiment))
  }
  cap(persons, experiment)
  const countsOf = (some: readonly Person[], segment?: Segment): ExperimentCounts => ({
    variants: experiment.variants.map((key) => {
      const arm = some.filter((person) => person.variant === key)
      return {
        key,
        exposed: arm.length,
        targets: experiment.targets.map(({ mean }, index) => ({
          converted: arm.filter((person) => person.targets[index]?.converted).length,
          ...(mean === null
            ? {}
            : {
                values: momentsOf(
                  arm.map((person) => person.targets[index]?.value ?? 0),
                  mean.cuped ? arm.map((person) => person.targets[index]?.before ?? 0) : undefined,
                ),
              }),
        })),
      }
    }),
    quality: qualityOf(some, segment),
  })
  const exposures = events.filter((event) => isExposure(event, experiment))
  /**
   * An exposure that does not count belongs to its own segment. A person belongs to the segment of the first
   * one that counts.
   */
  const qualityOf = (some: readonly Person[], segment: Segment | undefined): ExperimentCounts['quality'] => {
    const inside = ({ properties }: MeasuredEvent) =>
      segment === undefined || sameJson(valueOrNull(properties, segment.property), segment.value)
    const counted = some.flatMap((person) => person.exposures)
    const clamped = counted.filter(({ adjustment }) => adjustment?.startsWith('clamped'))
    return {
      multipleVariants: left.filter(({ first }) => inside(first)).length,
      unknownVariants: exposures.filter(
        (event) => timeOf(event, experiment) === 'during' && !isKnown(event, experiment) && inside(event),
      ).length,
      beforeStart: exposures.filter((event) => timeOf(event, experiment) === 'before' && inside(event))
        .length,
      clampedShare: counted.length === 0 ? 0 : clamped.length / counted.length,
    }
  }
  return {
    whole: countsOf(persons),
    segments: breakdown === undefined ? [] : segmentsOf(persons, breakdown, countsOf),
  }
}

function personOf(
  history: readonly MeasuredEvent[],
  first: MeasuredEvent,
  variant: string,
  experiment: ReferenceExperiment,
): Person {
  const place = history.indexOf(first)
  return {
    variant,
    first,
    exposures: history.filter(
      (event) =>
        isExposure(event, experiment) && timeOf(event, experiment) === 'during' && isKnown(event, experiment),
    ),
    targets: experiment.targets.map((target) => {
      const own = (event: MeasuredEvent) =>
        event.event === target.eventName && target.filters.every((filter) => passes(event.properties, filter))
      const conversions = history
        .slice(place + 1)
        .filter(
          (event) =>
            own(event) &&
            (target.windowHours === null ||
              (event.timestamp - first.timestamp) / 3_600_000 <= target.windowHours) &&
            (experiment.endedAt === null || event.timestamp <= experiment.endedAt + experiment.settlingMs),
        )
      const earlier = history
        .slice(0, place)
        .filter((event) => own(event) && event.timestamp >= first.timestamp - THIRTY_DAYS)
      const sum = (some: readonly MeasuredEvent[]) =>
        some.reduce((total, event) => {
          const value = target.mean === null ? 0 : lookUp(event.properties, target.mean.property)
          return total + (typeof value === 'number' ? value : 0)
        }, 0)
      return { converted: conversions.length > 0, value: sum(conversions), before: sum(earlier) }
    }),
  }
}

/** Caps values, and those before at the same number. */
function cap(persons: readonly Person[], experiment: ReferenceExperiment): void {
  experiment.targets.forEach(({ mean }, index) => {
    if (mean === null || mean.percentile === null || mean.percentile === 1) return
    const sorted = persons
      .map((person) => person.targets[index]?.value ?? 0)
      .filter((value) => value !== 0)
      .sort((a, b) => a - b)
    if (sorted.length === 0) return
    const at = mean.percentile * (sorted.length - 1)
    const below = sorted[Math.floor(at)] ?? 0
    const bound = below + ((sorted[Math.ceil(at)] ?? 0) - below) * (at - Math.floor(at))
    if (bound < 0) return
    for (const person of persons) {
      const target = person.targets[index]
      if (target === undefined) continue
      target.value = Math.min(target.value, bound)
      target.before = Math.min(target.before, bound)
    }
  })
}

/** By two passes: the means, then the distances from them. */
function momentsOf(values: readonly number[], before: readonly number[] | undefined): Moments {
  const n = values.length
  const meanOf = (some: readonly number[]) => (n === 0 ? 0 : some.reduce((a, b) => a + b, 0) / n)
  const spread = (a: readonly number[], b: readonly number[]) => {
    const [meanA, meanB] = [meanOf(a), meanOf(b)]
    return n < 2 ? 0 : a.reduce((sum, x, index) => sum + (x - meanA) * ((b[index] ?? 0) - meanB), 0) / (n - 1)
  }
  const plain = { n, mean: meanOf(values), variance: spread(values, values) }
  return before === undefined
    ? plain
    : {
        ...plain,
        before: {
          mean: meanOf(before),
          variance: spread(before, before),
          covariance: spread(values, before),
        },
      }
}

function segmentsOf(
  persons: readonly Person[],
  { property, limit }: { readonly property: string; readonly limit: number },
  countsOf: (some: readonly Person[], segment: Segment) => ExperimentCounts,
): { value: JsonValue; counts: ExperimentCounts }[] {
  const groups: { value: JsonValue; persons: Person[] }[] = []
  for (const person of persons) {
    const value = valueOrNull(person.first.properties, property)
    const group = groups.find((candidate) => sameJson(candidate.value, value))
    if (group === undefined) groups.push({ value: inOneForm(value), persons: [person] })
    else group.persons.push(person)
  }
  return groups
    .sort((a, b) => b.persons.length - a.persons.length || byText(a.value, b.value))
    .slice(0, limit)
    .map((group) => ({
      value: group.value,
      counts: countsOf(group.persons, { property, value: group.value }),
    }))
}

/** Ties by the JSON text, by its bytes. */
function byText(a: JsonValue, b: JsonValue): number {
  return Buffer.compare(Buffer.from(JSON.stringify(a)), Buffer.from(JSON.stringify(b)))
}
