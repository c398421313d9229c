import type { EventSelection } from '../selection/event-selection.js'
import type { NameBitmask } from '../selection/step-bitmask.js'

/**
 * SQL of an array with, for each event, the positions at which the 1st, 2nd, … distinct step of a name is
 * done from there on; `never` for steps that are not. For names with many sets of filters, for which
 * `unorderedAttemptSql` would need too many combinations.
 *
 * Goes backwards along `events` and keeps the matching of steps to events that is done earliest. An earlier
 * event takes a step, the holder of that step takes another, and so on until a free step; if there is none,
 * the step with the last holder is given up. Quadratic in a person's events, because each round copies what
 * was gathered.
 */
export function matchedPositionsSql(relevant: EventSelection, name: NameBitmask, never: string): string {
  const steps = name.classes.flatMap((one) => one.steps).length
  // Steps of the name, numbered on their own; an event's mask has a bit for each step that it satisfies.
  let first = 0
  const masks = name.classes.map((one) => {
    const mask = (2 ** one.steps.length - 1) * 2 ** first
    first += one.steps.length
    return `if(${relevant.satisfies('x', one.steps[0] ?? 0)}, ${mask}, 0)`
  })
  const mask = `toUInt32(${masks.reduce((a, b) => `bitOr(${a}, ${b})`)})`
  const each = `range(1, ${steps + 1})`
  // How a step can be reached: -1 not at all, 0 by the event itself, k by moving the holder of step k.
  const reachedFirst = `arrayMap(j -> if(bitTest(m, j - 1), toInt16(0), toInt16(-1)), ${each})`
  const by = 'arrayFirstIndex((h, w) -> w != -1 AND bitTest(h, j - 1), state.2, ways)'
  const ways = `arrayFold((ways, round) -> arrayMap((w, j) -> if(w != -1 OR ${by} = 0, w, toInt16(${by})), ways, ${each}), range(${steps - 1}), ${reachedFirst})`
  const open = 'arrayMap((p, w) -> if(w = -1, 0, p), state.1, ways)'
  const last = `toInt16(indexOf(${open}, arrayMax(${open})))`
  // Back along the chain, each step goes to the holder of the previous one.
  const moved = `arrayFold((move, round) -> if(move.1 <= 0, move, (
    move.2[move.1],
    move.2,
    arrayMap((p, j) -> if(j = move.1, if(move.2[move.1] = 0, place, state.1[move.2[move.1]]), p), move.3, ${each}),
    arrayMap((h, j) -> if(j = move.1, if(move.2[move.1] = 0, m, state.2[move.2[move.1]]), h), move.4, ${each}))),
  range(${steps}), (${last}, ways, state.1, state.2))`
  const next = `arrayMap(ways -> arrayMap(move -> (move.3, move.4, arrayPushBack(state.3, arraySort(move.3))), [${moved}])[1], [${ways}])[1]`
  const start = `(arrayWithConstant(${steps}, ${never}), arrayWithConstant(${steps}, toUInt32(0)), [[${never}]])`
  return `arrayReverse(arrayPopFront(arrayFold((state, place, m) -> if(m = 0, (state.1, state.2, arrayPushBack(state.3, arraySort(state.1))), ${next}), arrayReverse(places), arrayReverse(arrayMap(x -> ${mask}, events)), ${start}).3))`
}
