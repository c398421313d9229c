import type { EventSelection } from '../selection/event-selection.js'

/** Inputs of the last stages of an attempt. */
export interface AttemptOptions {
  readonly steps: number
  readonly windowMs: number
  /** SQL of the persons (`personsSql`). */
  readonly persons: string
  /** Columns of a person that stages pass on, and those in the final attempt. */
  readonly handedOn: string
  readonly kept: string
  /** The array with the number that identifies an attempt's start, if it is needed. */
  readonly startIn: 'events' | 'keys' | undefined
}

/** Steps computed in one SELECT. Their expressions nest, and more of them slow planning down. */
export const STEPS_PER_SELECT = 6

/**
 * The attempt from index `first` of `events` that reaches `level` steps by index `last`, taking the earliest
 * next step each time: passed-on columns, `times` (milliseconds on the funnel's clock) and `start` if needed.
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

/** One SELECT per step: slightly faster to run, and most of the planning of a long funnel. */
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

/**
 * The columns of a step: the index of the first event that completes it, and the latest starts that go on.
 */
export interface WalkStage {
  readonly end: string
  readonly carried: string
}

/**
 * Adds `level`, the number of steps the best attempt reached, and `last`, the index of the first event that
 * completes it, to persons with `events` and `carried0`, the latest start at each event.
 * @param stepsASelect stages that share a SELECT
 * @param stageOf builds a step's stage from the column carried to it
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
  // A level is reached only through the previous ones, so the ends that exist are the first ones.
  return `SELECT ${handedOn}, events, arrayCount(e -> e > 0, ends) + 1 AS level,
if(level = 1, arrayFirstIndex(x -> ${relevant.isStart('x')}, events), ends[level - 1]) AS last FROM (${sql})`
}

/** Removes the code from a number and keeps the time. */
export function withoutFlagsSql(relevant: EventSelection, x: string): string {
  return `bitAnd(${x}, bitNot(toUInt64(${2 ** relevant.codeBits - 1})))`
}

/** SQL of an array shifted by one: at each event, what held before it. */
export function carriedBeforeSql(carried: string): string {
  return `arrayPushFront(arrayPopBack(${carried}), 0)`
}
