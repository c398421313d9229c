import type { FunnelQuery } from '../../../../domain/funnel.js'
import type { EventSelection } from '../selection/event-selection.js'
import type { NameBitmask, StepClass } from '../selection/step-bitmask.js'
import { matchedPositionsSql } from './matching.js'
import type { AttemptOptions } from './step-times.js'

/** Up to this many arrays of one name are planned and carried quickly. */
const MAX_COLUMNS = 60
/** Bits of an event's index among its person's events. */
const PLACE_BITS = 27
/** After every index: odd, as attempts' indexes are in `excludedLevels`; their end is even. */
const NEVER = '18446744073709551615'
const END = '18446744073709551614'

/**
 * The best attempt of each person in `any` order: passed-on columns, `times` (one per completed step, all
 * equal to the start) and `start` if needed.
 *
 * An attempt from an event does as many distinct steps as a matching of steps to events allows. By Hall's
 * theorem, q steps of one name are done once every set of S of its g steps has had q - g + S events. So the
 * event that completes the q-th is the latest, over those sets, of the (q - g + S)-th event of the set. Steps
 * that the same events satisfy share a set. All are carried backwards along a person's events, so the whole
 * is linear.
 */
export function unorderedAttemptSql(
  relevant: EventSelection,
  options: AttemptOptions,
  query: FunnelQuery,
): string {
  const { handedOn, kept, windowMs, startIn } = options
  const { codeBits, isStart } = relevant
  const ordinals = ordinalsOf(relevant)
  // One unique number per event, in time order; after all, one that is never reached.
  const places = `arrayMap((x, place) -> bitOr(bitShiftLeft(bitShiftRight(x, ${codeBits}), ${PLACE_BITS}), toUInt64(place)), own, arrayEnumerate(own))`
  let sql = `SELECT ${handedOn}, arrayPushBack(own, 0) AS events, arrayPushBack(${places}, ${NEVER}) AS places
FROM (SELECT ${handedOn}, events AS own FROM (${options.persons}))`
  const done = ordinals.matched.map((one) => one.column)
  if (done.length > 0)
    sql = `SELECT ${[handedOn, 'events', 'places', ...ordinals.matched.map((one) => one.sql)].join(', ')} FROM (${sql})`
  for (const ordinal of ordinals.layers) {
    sql = `SELECT ${[handedOn, 'events', 'places', ...done, ...ordinal.map((one) => one.sql)].join(', ')} FROM (${sql})`
    done.push(...ordinal.map((one) => one.column))
  }
  const thresholds = ordinals.thresholds
  sql = `SELECT ${[handedOn, 'events', 'places', ...thresholds.map((threshold, index) => `${threshold} AS done${index}`)].join(', ')} FROM (${sql})`
  const names = thresholds.map((_, index) => `done${index}`)
  const bound = `bitShiftLeft(bitShiftRight(p, ${PLACE_BITS}) + ${windowMs + 1}, ${PLACE_BITS})`
  if (query.exclusions.length === 0) {
    const count = names.map((_, index) => `(d${index} < ${bound})`).join(' + ')
    sql = `SELECT ${handedOn}, events,
arrayMap((x, p, ${names.map((_, index) => `d${index}`).join(', ')}) -> if(${isStart('x')}, toUInt8(${count}), 0), events, places, ${names.join(', ')}) AS levels FROM (${sql})`
  } else {
    sql = excludedLevels(relevant, sql, { handedOn, names, bound, query })
  }
  sql = `SELECT ${handedOn}, events, arrayMax(levels) AS level, indexOf(levels, level) AS first FROM (${sql})`
  const start = startIn === undefined ? '' : `, ${startIn}[first] AS start`
  return `SELECT ${kept}${start}, arrayWithConstant(level, bitShiftRight(events[first], ${codeBits})) AS times FROM (${sql})`
}

interface Layer {
  readonly column: string
  readonly sql: string
}

/** The m-th event of a set of steps from each event on, in layers, and the thresholds made of them. */
function ordinalsOf(relevant: EventSelection): { matched: Layer[]; layers: Layer[][]; thresholds: string[] } {
  const matched: Layer[] = []
  const layers: Layer[][] = []
  const thresholds: string[] = []
  relevant.vocabulary.names.forEach((name, place) => {
    const steps = name.classes.flatMap((one) => one.steps).length
    if (columnsFor(name) > MAX_COLUMNS) {
      const column = `matched${place}`
      matched.push({ column, sql: `${matchedPositionsSql(relevant, name, NEVER)} AS ${column}` })
      for (let q = 1; q <= steps; q++) thresholds.push(`arrayMap(m -> m[${q}], ${column})`)
      return
    }
    const sets = setsOf(name)
    sets.forEach((set, at) => {
      const belongs = `(${set.classes.map((one) => relevant.satisfies('x', name.classes[one]?.steps[0] ?? 0)).join(' OR ')})`
      for (let m = 1; m <= set.steps; m++) {
        const from =
          m === 1 ? 'places' : `arrayPushBack(arrayPopFront(${columnOf(place, at, m - 1)}), ${NEVER})`
        const layer = layers[m - 1] ?? []
        layers[m - 1] = layer
        layer.push({
          column: columnOf(place, at, m),
          sql: `arrayReverseFill((p, x) -> ${belongs}, ${from}, events) AS ${columnOf(place, at, m)}`,
        })
      }
    })
    for (let q = 1; q <= steps; q++) {
      const waited = sets
        .map((set, at) => ({ at, m: q - steps + set.steps }))
        .filter(({ m }) => m >= 1)
        .map(({ at, m }) => columnOf(place, at, m))
      thresholds.push(
        waited.length === 1
          ? (waited[0] ?? '')
          : `arrayMap((${waited.map((_, index) => `w${index}`).join(', ')}) -> greatest(${waited.map((_, index) => `w${index}`).join(', ')}), ${waited.join(', ')})`,
      )
    }
  })
  return { matched, layers, thresholds }
}

const columnOf = (name: number, set: number, m: number) => `n${name}_${set}_${m}`

/**
 * Sets of classes of a name's steps, and the number of steps in each. A set with the class that every event
 * satisfies has all events, so only the full one of these matters.
 */
function setsOf(name: NameBitmask): { readonly classes: number[]; readonly steps: number }[] {
  const all = name.classes.map((_, index) => index)
  const closed = all.filter((index) => name.classes[index]?.open === false)
  const sets: number[][] = closed.length < all.length ? [all] : []
  for (let mask = 1; mask < 2 ** closed.length; mask++)
    sets.push(closed.filter((_, bit) => (mask >> bit) % 2 === 1))
  return sets.map((classes) => ({
    classes,
    steps: classes.reduce((sum, index) => sum + (name.classes[index]?.steps.length ?? 0), 0),
  }))
}

/** Number of columns that the sets of a name need. */
function columnsFor(name: NameBitmask): number {
  const stepsIn = (classes: readonly StepClass[]) => classes.reduce((sum, one) => sum + one.steps.length, 0)
  const closed = name.classes.filter((one) => !one.open)
  const whole = closed.length < name.classes.length ? stepsIn(name.classes) : 0
  return stepsIn(closed) * 2 ** (closed.length - 1) + whole
}

/**
 * Adds `levels` if exclusions end attempts. Step k of an exclusion is the (k+1)-th distinct step that an
 * attempt does. Later starts do nothing earlier, so sorting both together finds what comes first after each.
 */
function excludedLevels(
  relevant: EventSelection,
  source: string,
  {
    handedOn,
    names,
    bound,
    query,
  }: { handedOn: string; names: readonly string[]; bound: string; query: FunnelQuery },
): string {
  const each = names.map((_, index) => `d${index}`).join(', ')
  let sql = `SELECT ${handedOn}, events, places,
arrayMap((${each}) -> arraySort([${each}]), ${names.join(', ')}) AS done FROM (${source})`
  sql = `SELECT ${handedOn}, events, places, done, ${query.exclusions
    .map(
      (exclusion, index) =>
        `arrayMap(d -> d[${exclusion.fromStep + 1}], done) AS opens${index}, arrayMap(d -> d[${exclusion.toStep + 1}], done) AS closes${index},
arrayFilter((p, x) -> ${relevant.isNamed('x', [exclusion.eventName])}, places, events) AS named${index}`,
    )
    .join(', ')} FROM (${sql})`
  // An exclusion's event sorts before an attempt's index if they are the same event.
  const merged = (index: number) =>
    `arraySort(arrayConcat(arrayMap(p -> bitShiftLeft(p, 1), named${index}), arrayMap(p -> if(p = ${NEVER}, p, bitShiftLeft(p, 1) + 1), opens${index})))`
  sql = `SELECT ${handedOn}, events, places, done, ${query.exclusions
    .map((_, index) => `closes${index}, arrayPushBack(${merged(index)}, ${END}) AS merged${index}`)
    .join(', ')} FROM (${sql})`
  sql = `SELECT ${handedOn}, events, places, done, ${query.exclusions
    .map(
      (_, index) =>
        `closes${index}, arrayFilter((f, v) -> v % 2 = 1, arrayReverseFill(v -> v % 2 = 0, merged${index}), merged${index}) AS ended${index}`,
    )
    .join(', ')} FROM (${sql})`
  const ends = query.exclusions.map(
    (_, index) => `if(bitShiftRight(e${index}, 1) < c${index}, bitShiftRight(e${index}, 1), ${NEVER})`,
  )
  const parameters = query.exclusions.flatMap((_, index) => [`e${index}`, `c${index}`])
  const columns = query.exclusions.flatMap((_, index) => [`ended${index}`, `closes${index}`])
  return `SELECT ${handedOn}, events,
arrayMap((x, p, d, ${parameters.join(', ')}) -> if(${relevant.isStart('x')}, toUInt8(arrayCount(t -> t < least(${[bound, ...ends].join(', ')}), d)), 0), events, places, done, ${columns.join(', ')}) AS levels FROM (${sql})`
}
