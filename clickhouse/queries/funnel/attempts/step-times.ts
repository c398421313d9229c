import type { EventSelection } from '../selection/event-selection.js'

/** What the last stages of an attempt need to know. */
export interface AttemptOptions {
  readonly steps: number
  readonly windowMs: number
  /** SQL of the persons (`personsSql`). */
  readonly persons: string
  /** The columns of a person that stages hand on, and those of them that an attempt has in the end. */
  readonly handedOn: string
  readonly kept: string
  /** The array with the number that the beginning of a run is known by, where that is asked for. */
  readonly startIn: 'events' | 'keys' | undefined
}

/** Steps whose carried starts are worked out in one SELECT: their expressions contain each other, and more of them make it slow to plan. */
export const STEPS_PER_SELECT = 6

/**
 * The attempt that begins at place `first` of `events` and reaches `level` steps by place `last`: columns that are kept, `times`, one
 * of each step it reached, in milliseconds on the funnel's clock, and `start` where it is asked for. Walks each time to the earliest next step.
 */
export function stepTimesSql(relevant: EventSelection, options: AttemptOptions, first: string): string {
  const { steps, startIn, kept } = options
  const start = startIn === undefined ? '' : `, ${startIn}[first] AS start`
  const columns = startIn === undefined ? kept : `${kept}, start`
  const begun = `SELECT ${kept}, level, [events[first]] AS walked, arraySlice(events, first + 1, last - first) AS rest${start} FROM (${first})`
  const walked =
    steps <= STEPS_PER_SELECT
      ? bySelects(relevant, steps, begun, columns)
      : byFold(relevant, steps, begun, columns)
  return `SELECT ${columns}, arrayMap(x -> bitShiftRight(x, ${relevant.codeBits}), arraySlice(walked, 1, level)) AS times FROM (${walked})`
}

/** A SELECT a step: a little faster, and soon most of the planning of a long funnel. */
function bySelects(relevant: EventSelection, steps: number, begun: string, columns: string): string {
  let walk = begun
  for (let step = 1; step < steps; step++) {
    const found = `SELECT ${columns}, level, walked, rest, arrayFirstIndex(x -> ${relevant.satisfies('x', step)}, rest) AS place FROM (${walk})`
    const rest = step === steps - 1 ? '' : ', arraySlice(before.rest, place + 1) AS rest'
    walk = `SELECT ${columns}, level, arrayPushBack(before.walked, before.rest[place]) AS walked${rest} FROM (${found}) AS before`
  }
  return walk
}

function byFold(relevant: EventSelection, steps: number, begun: string, columns: string): string {
  const next = 'arrayFirstIndex(x -> bitAnd(x, step.1) = step.2, walk.2)'
  const tests = Array.from({ length: steps - 1 }, (_, index) => {
    const { mask, value } = relevant.testOf(index + 1)
    return `(toUInt64(${mask}), toUInt64(${value}))`
  })
  const walk = `arrayFold((walk, step) -> (arrayPushBack(walk.1, walk.2[${next}]), arraySlice(walk.2, ${next} + 1)), arraySlice([${tests.join(', ')}], 1, level - 1), (before.walked, before.rest)).1`
  return `SELECT ${columns}, level, ${walk} AS walked FROM (${begun}) AS before`
}

/** What a step adds: the place of the first event that completes it within the window, and the latest starts that go on from it. */
export interface WalkStage {
  readonly end: string
  readonly carried: string
}

/**
 * Adds `level`, how many steps the best attempt reached, and `last`, the place of the first event that completes it, to persons with `events`
 * and `carried0`, the latest start at each event.
 *
 * @param stepsASelect stages that share a SELECT
 * @param stageOf of a step, from the column carried along to it
 */
export function reachedSql(
  relevant: EventSelection,
  { steps, handedOn, persons }: AttemptOptions,
  starts: string,
  stepsASelect: number,
  stageOf: (step: number, carried: string) => WalkStage,
): string {
  let sql = `SELECT ${handedOn}, events, ${starts} AS carried0, emptyArrayUInt32() AS ends FROM (${persons})`
  for (let from = 1; from < steps; from += stepsASelect) {
    const ends: string[] = []
    const carried: string[] = []
    for (let step = from; step < Math.min(steps, from + stepsASelect); step++) {
      const stage = stageOf(step, `carried${step - 1}`)
      ends.push(stage.end)
      if (step < steps - 1) carried.push(`${stage.carried} AS carried${step}`)
    }
    const inside = carried.slice(0, -1)
    sql = `${inside.length === 0 ? '' : `WITH ${inside.join(', ')}\n`}SELECT ${[
      `${handedOn}, events`,
      `arrayConcat(ends, [${ends.join(', ')}]) AS ends`,
      ...carried.slice(-1),
    ].join(', ')} FROM (${sql})`
  }
  // A level is reached only through the ones before it, so the ends that exist are the first ones.
  return `SELECT ${handedOn}, events, arrayCount(e -> e > 0, ends) + 1 AS level,
if(level = 1, arrayFirstIndex(x -> ${relevant.isStart('x')}, events), ends[level - 1]) AS last FROM (${sql})`
}

/** Drops the code from a number, leaving the time. */
export function withoutFlagsSql(relevant: EventSelection, x: string): string {
  return `bitAnd(${x}, bitNot(toUInt64(${2 ** relevant.codeBits - 1})))`
}

/** SQL of an array moved by one place: at each event, what was true before it. */
export function carriedBeforeSql(carried: string): string {
  return `arrayPushFront(arrayPopBack(${carried}), 0)`
}
