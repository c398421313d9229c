import type { Relevant } from './relevant.js'

/** What the last stages of an attempt need to know. */
export interface AttemptOptions {
  readonly steps: number
  readonly windowMs: number
  /** SQL of the persons (`personsSql`). */
  readonly persons: string
  /** The columns of a person that stages hand on. */
  readonly handedOn: string
  /** The array with the number that the beginning of a run is known by, where that is asked for. */
  readonly startIn: 'events' | 'keys' | undefined
}

/** Steps whose carried starts are worked out in one SELECT: their expressions contain each other, and more of them make it slow to plan. */
export const STEPS_A_SELECT = 6

/**
 * The attempt that begins at place `first` of `events` and reaches `level` steps by place `last`: columns `person`, `tied`, `times`, one
 * of each step it reached, in milliseconds on the funnel's clock, and `start` where it is asked for. Walks each time to the earliest next step.
 */
export function walkSql(relevant: Relevant, options: AttemptOptions, first: string): string {
  const { steps, startIn } = options
  const start = startIn === undefined ? '' : `, ${startIn}[first] AS start`
  const columns = startIn === undefined ? '' : ', start'
  const begun = `SELECT person, tied, level, [events[first]] AS walked, arraySlice(events, first + 1, last - first) AS rest${start} FROM (${first})`
  const walked =
    steps <= STEPS_A_SELECT
      ? bySelects(relevant, steps, begun, columns)
      : byFold(relevant, steps, begun, columns)
  return `SELECT person, tied${columns}, arrayMap(x -> bitShiftRight(x, ${relevant.codeBits}), arraySlice(walked, 1, level)) AS times FROM (${walked})`
}

/** A SELECT a step: a little faster, and soon most of the planning of a long funnel. */
function bySelects(relevant: Relevant, steps: number, begun: string, columns: string): string {
  let walk = begun
  for (let step = 1; step < steps; step++) {
    const found = `SELECT person, tied, level${columns}, walked, rest, arrayFirstIndex(x -> ${relevant.satisfies('x', step)}, rest) AS place FROM (${walk})`
    const rest = step === steps - 1 ? '' : ', arraySlice(before.rest, place + 1) AS rest'
    walk = `SELECT person, tied, level${columns}, arrayPushBack(before.walked, before.rest[place]) AS walked${rest} FROM (${found}) AS before`
  }
  return walk
}

function byFold(relevant: Relevant, steps: number, begun: string, columns: string): string {
  const next = 'arrayFirstIndex(x -> bitAnd(x, step.1) = step.2, walk.2)'
  const tests = Array.from({ length: steps - 1 }, (_, index) => {
    const { mask, value } = relevant.testOf(index + 1)
    return `(toUInt64(${mask}), toUInt64(${value}))`
  })
  const walk = `arrayFold((walk, step) -> (arrayPushBack(walk.1, walk.2[${next}]), arraySlice(walk.2, ${next} + 1)), arraySlice([${tests.join(', ')}], 1, level - 1), (before.walked, before.rest)).1`
  return `SELECT person, tied, level${columns}, ${walk} AS walked FROM (${begun}) AS before`
}

/** Drops the code from a number, leaving the time. */
export function cleared(relevant: Relevant, x: string): string {
  return `bitAnd(${x}, bitNot(toUInt64(${2 ** relevant.codeBits - 1})))`
}

/** SQL of an array moved by one place: at each event, what was true before it. */
export function before(carried: string): string {
  return `arrayPushFront(arrayPopBack(${carried}), 0)`
}
