import { setImmediate as turn } from 'node:timers/promises'
import { nativeBlocks } from '../../../statements/native.js'

/** How many rows are looked at before others have their turn: some milliseconds. */
export const ROWS_AT_ONCE = 65_536

/** Events by person, as numbers `time * scale + code`: those of the nth person lie from `begins[n]` to before `begins[n + 1]`, in the order in which they came. */
export interface EventsByPerson {
  readonly persons: number
  readonly begins: Uint32Array
  readonly packed: Float64Array
  /** The key of the nth person. */
  keyOf(person: number): bigint
}

/**
 * Puts the rows of an answer in Native format together by person. A row is the person's key, a timestamp and a code; those of code 0 are left out.
 *
 * @param origin milliseconds since 1970 at which the funnel's clock begins
 * @param scale the power of two that leaves room for codes below the time
 */
export async function eventsByPerson(
  answer: Uint8Array,
  origin: number,
  scale: number,
): Promise<EventsByPerson> {
  const blocks = [...nativeBlocks(answer)]
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0)
  const found = new PersonNumbers(rows)
  const personOf = new Uint32Array(rows)
  const came = new Float64Array(rows)
  let count = 0
  let untilTurn = ROWS_AT_ONCE
  for (const block of blocks) {
    const [keys, times, codes] = block.columns
    if (keys === undefined || times === undefined || codes === undefined)
      throw new RangeError('an event has a person, a timestamp and a code')
    for (let row = 0; row < block.rows; row++) {
      const code = codes[row] ?? 0
      if (code === 0) continue
      const low = 2 * row
      const time = (times[low + 1] ?? 0) * 2 ** 32 + (times[low] ?? 0) - origin
      personOf[count] = found.numberOf(keys[low] ?? 0, keys[low + 1] ?? 0)
      came[count++] = time * scale + code
    }
    untilTurn -= block.rows
    if (untilTurn > 0) continue
    untilTurn = ROWS_AT_ONCE
    await turn()
  }

  const begins = new Uint32Array(found.count + 1)
  for (let event = 0; event < count; event++) {
    const after = (personOf[event] ?? 0) + 1
    begins[after] = (begins[after] ?? 0) + 1
  }
  for (let person = 1; person <= found.count; person++)
    begins[person] = (begins[person] ?? 0) + (begins[person - 1] ?? 0)
  const next = begins.slice()
  const packed = new Float64Array(count)
  for (let event = 0; event < count; event++) {
    const person = personOf[event] ?? 0
    const place = next[person] ?? 0
    packed[place] = came[event] ?? 0
    next[person] = place + 1
  }
  return { persons: found.count, begins, packed, keyOf: (person) => found.keyOf(person) }
}

/** Numbers persons from 0 in the order in which their keys come: a table with open addressing, at most half full. */
class PersonNumbers {
  count = 0
  /** By number, the two halves of a key. */
  private readonly keys: Uint32Array
  /** Numbers from 1 on; 0 is a free place. */
  private readonly places: Uint32Array
  private readonly mask: number

  /** @param most how many keys there may be */
  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * most)))
    this.keys = new Uint32Array(2 * most)
    this.places = new Uint32Array(size)
    this.mask = size - 1
  }

  numberOf(low: number, high: number): number {
    // Keys are hashes already.
    for (let place = (low ^ high) & this.mask; ; place = (place + 1) & this.mask) {
      const number = (this.places[place] ?? 0) - 1
      if (number < 0) {
        this.keys[2 * this.count] = low
        this.keys[2 * this.count + 1] = high
        this.places[place] = this.count + 1
        return this.count++
      }
      if (this.keys[2 * number] === low && this.keys[2 * number + 1] === high) return number
    }
  }

  keyOf(number: number): bigint {
    return (BigInt(this.keys[2 * number + 1] ?? 0) << 32n) | BigInt(this.keys[2 * number] ?? 0)
  }
}
