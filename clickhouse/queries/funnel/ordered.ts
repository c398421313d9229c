import type { Relevant } from './relevant.js'

/**
 * The best attempt of each person of `personsSql`: adds `level` and the times `t0` … of the steps it reached, in milliseconds
 * on the funnel's clock; what was not reached is anything.
 *
 * Linear in a person's events. Carried along them is, for each step, the latest start whose chain has reached it: the start that
 * leaves most of the window. The first event at which a level is completed within the window belongs to the earliest
 * start of that level too: a start before it can complete no earlier, and any start that lies within the window before
 * this event has completed by it. So the best attempt begins at the first start in that stretch, and walking from there, each
 * time to the earliest next step, gives its times. One SELECT a stage: an alias used twice in one SELECT is expanded
 * twice, and six steps of that are more than the engine accepts.
 */
export function bestAttemptSql(relevant: Relevant, steps: number, windowMs: number, persons: string): string {
  const { codeBits, overlapping, satisfies } = relevant
  const code = 2 ** codeBits - 1
  const kept = 'person, tied'
  const isStart = satisfies('x', 0)
  // An event x lies in the window of a start s when x - s is less than this; the start's code is 1, or cleared.
  const reach = BigInt(windowMs + 1) * BigInt(2 ** codeBits) - (overlapping ? 0n : 1n)
  // An event takes part in a chain once: what it completes rests on the events before it.
  const before = (carried: string) => (overlapping ? `arrayPushFront(arrayPopBack(${carried}), 0)` : carried)

  const starts = overlapping ? `arrayMap(x -> bitAnd(x, bitNot(toUInt64(${code}))), events)` : 'events'
  let sql = `SELECT ${kept}, events, ${
    overlapping ? `arrayFill((s, x) -> ${isStart}, ${starts}, events)` : `arrayFill(x -> ${isStart}, events)`
  } AS carried FROM (${persons})`
  const ends: string[] = []
  for (let step = 1; step < steps; step++) {
    const reached = satisfies('x', step)
    if (overlapping)
      sql = `SELECT ${[kept, ...ends, 'events', `${before('carried')} AS carried`].join(', ')} FROM (${sql})`
    const next = step === steps - 1 ? [] : [`arrayFill((s, x) -> ${reached}, carried, events) AS carried_on`]
    sql = `SELECT ${[kept, ...ends, 'events', ...next].join(', ')}, arrayFirstIndex((x, s) -> ${reached} AND x - s < ${reach}, events, carried) AS end${step} FROM (${sql})`
    ends.push(`end${step}`)
    if (next.length > 0)
      sql = `SELECT ${[kept, ...ends, 'events', 'carried_on AS carried'].join(', ')} FROM (${sql})`
  }
  const first = `arrayFirstIndex(x -> ${isStart}, events)`
  const byLevel = (of: (step: number) => string, otherwise: string) =>
    ends.length === 0
      ? otherwise
      : `multiIf(${ends
          .map((end, index) => `${end} > 0, ${of(index + 1)}`)
          .reverse()
          .join(', ')}, ${otherwise})`
  sql = `SELECT ${kept}, events, toUInt8(${byLevel((step) => String(step + 1), '1')}) AS level, ${byLevel((step) => `end${step}`, first)} AS last FROM (${sql})`
  sql = `SELECT ${kept}, events, level, last, bitShiftLeft(bitShiftRight(events[last], ${codeBits}) - ${windowMs}, ${codeBits}) AS bound FROM (${sql})`
  sql = `SELECT ${kept}, events, level, last, arrayFirstIndex(x -> ${isStart} AND x >= bound, events) AS first FROM (${sql})`
  sql = `SELECT ${kept}, level, bitShiftRight(events[first], ${codeBits}) AS t0, arraySlice(events, first + 1, last - first) AS rest FROM (${sql})`
  const times = ['t0']
  for (let step = 1; step < steps; step++) {
    const done = [kept, 'level', ...times].join(', ')
    const found = satisfies('x', step)
    if (step === steps - 1) {
      sql = `SELECT ${done}, bitShiftRight(arrayFirst(x -> ${found}, rest), ${codeBits}) AS t${step} FROM (${sql})`
    } else {
      sql = `SELECT ${done}, rest, arrayFirstIndex(x -> ${found}, rest) AS at FROM (${sql})`
      sql = `SELECT ${done}, bitShiftRight(rest[at], ${codeBits}) AS t${step}, arraySlice(rest, at + 1) AS rest FROM (${sql})`
    }
    times.push(`t${step}`)
  }
  return sql
}
