import type { Relevant } from './relevant.js'

const STEPS_A_SELECT = 6

/**
 * The best attempt of each person where nothing that satisfies another step may come in between: columns `person`, `tied` and `times`,
 * as `bestAttemptSql` gives them.
 *
 * Among the relevant events, which are those that satisfy a step, a run is a stretch of neighbours. Carried along is the start of
 * the stretch that ends with each event; the first event that completes the top level within the window belongs to the
 * earliest start, as stretches of one length end in the order in which they begin.
 */
export function strictAttemptSql(
  relevant: Relevant,
  steps: number,
  windowMs: number,
  persons: string,
): string {
  const { codeBits, satisfies } = relevant
  const isStart = satisfies('x', 0)
  const reach = BigInt(windowMs + 1) * BigInt(2 ** codeBits)
  const before = (carried: string) => `arrayPushFront(arrayPopBack(${carried}), 0)`
  let sql = `SELECT person, tied, events, emptyArrayUInt32() AS ends,
arrayMap(x -> if(${isStart}, bitAnd(x, bitNot(toUInt64(${2 ** codeBits - 1}))), 0), events) AS carried0 FROM (${persons})`
  for (let from = 1; from < steps; from += STEPS_A_SELECT) {
    const ends: string[] = []
    const carried: string[] = []
    for (let step = from; step < Math.min(steps, from + STEPS_A_SELECT); step++) {
      const previous = before(`carried${step - 1}`)
      const reached = satisfies('x', step)
      ends.push(`arrayFirstIndex((x, s) -> ${reached} AND x - s < ${reach}, events, ${previous})`)
      if (step < steps - 1)
        carried.push(`arrayMap((s, x) -> if(${reached}, s, 0), ${previous}, events) AS carried${step}`)
    }
    const inside = carried.slice(0, -1)
    sql = `${inside.length === 0 ? '' : `WITH ${inside.join(', ')}\n`}SELECT ${[
      'person, tied, events',
      `arrayConcat(ends, [${ends.join(', ')}]) AS ends`,
      ...carried.slice(-1),
    ].join(', ')} FROM (${sql})`
  }
  const last = `SELECT person, tied, events, arrayCount(e -> e > 0, ends) + 1 AS level,
if(level = 1, arrayFirstIndex(x -> ${isStart}, events), ends[level - 1]) AS last FROM (${sql})`
  return `SELECT person, tied,
arrayMap(x -> bitShiftRight(x, ${codeBits}), arraySlice(events, last + 1 - level, level)) AS times FROM (${last})`
}
