import { setImmediate as turn } from 'node:timers/promises'
import { nativeBlocks } from '../../../statements/native.js'
import { yieldingLoop } from './yielding-loop.js'

/** A person key, a timestamp and a code. */
const ROW_BYTES = 20

/**
 * Events as `time * scale + code`, the nth person's from `begins[n]` to before `begins[n + 1]`, unordered.
 */
export interface EventsByPerson {
  readonly persons: number
  readonly begins: Uint32Array
  readonly packed: Float64Array
  /** The key of the nth person. */
  keyOf(person: number): bigint
}

/**
 * Groups the rows of a Native answer by person. A row is the person's key, a timestamp and a code; rows with
 * code 0 are dropped.
 * @param origin start of the funnel's clock in milliseconds since 1970
 * @param scale power of two above all codes
 */
export async function eventsByPerson(
  answer: Uint8Array,
  origin: number,
  scale: number,
  signal: AbortSignal | undefined,
): Promise<EventsByPerson> {
  const mostRows = Math.floor(answer.length / ROW_BYTES)
  const found = new PersonNumbers()
  const personOf = new Uint32Array(mostRows)
  const came = new Float64Array(mostRows)
  let count = 0
  for (const block of nativeBlocks(answer)) {
    const [keys, times, codes] = block.columns
    if (keys === undefined || times === undefined || codes === undefined)
      throw new RangeError('an event has a person, a timestamp and a code')
    if (count > 0) await turn()
    await yieldingLoop(block.rows, signal, (from, to) => {
      for (let row = from; row < to; row++) {
        const code = codes[row] ?? 0
        if (code === 0) continue
        const low = 2 * row
        const time = (times[low + 1] ?? 0) * 2 ** 32 + (times[low] ?? 0) - origin
        personOf[count] = found.numberOf(keys[low] ?? 0, keys[low + 1] ?? 0)
        came[count++] = time * scale + code
      }
    })
  }

  const begins = new Uint32Array(found.count + 1)
  await yieldingLoop(count, signal, (from, to) => {
    for (let event = from; event < to; event++) {
      const after = (personOf[event] ?? 0) + 1
      begins[after] = (begins[after] ?? 0) + 1
    }
  })
  for (let person = 1; person <= found.count; person++)
    begins[person] = (begins[person] ?? 0) + (begins[person - 1] ?? 0)
  const next = begins.slice()
  const packed = new Float64Array(count)
  await yieldingLoop(count, signal, (from, to) => {
    for (let event = from; event < to; event++) {
      const person = personOf[event] ?? 0
      const place = next[person] ?? 0
      packed[place] = came[event] ?? 0
      next[person] = place + 1
    }
  })
  return { persons: found.count, begins, packed, keyOf: (person) => found.keyOf(person) }
}

/** Numbers persons from 0 as their keys appear: an open-addressing table, at most half full. */
class PersonNumbers {
  count = 0
  /** The two halves of a key, by number. */
  private keys = new Uint32Array(2 * FIRST_PERSONS)
  /** Numbers from 1; 0 is a free slot. Small while there are few persons, because every row looks into it. */
  private places = new Uint32Array(2 * FIRST_PERSONS)

  numberOf(low: number, high: number): number {
    const { keys, places } = this
    const mask = places.length - 1
    // Keys are hashes already.
    for (let place = low & mask; ; place = (place + 1) & mask) {
      const number = (places[place] ?? 0) - 1
      if (number < 0) return this.add(place, low, high)
      if (keys[2 * number] === low && keys[2 * number + 1] === high) return number
    }
  }

  keyOf(number: number): bigint {
    return (BigInt(this.keys[2 * number + 1] ?? 0) << 32n) | BigInt(this.keys[2 * number] ?? 0)
  }

  private add(place: number, low: number, high: number): number {
    const number = this.count++
    this.keys[2 * number] = low
    this.keys[2 * number + 1] = high
    this.places[place] = this.count
    if (2 * this.count === this.places.length) this.widen()
    return number
  }

  private widen(): void {
    const keys = new Uint32Array(2 * this.keys.length)
    keys.set(this.keys)
    this.keys = keys
    this.places = new Uint32Array(2 * this.places.length)
    const mask = this.places.length - 1
    for (let number = 0; number < this.count; number++) {
      let place = (keys[2 * number] ?? 0) & mask
      while (this.places[place] !== 0) place = (place + 1) & mask
      this.places[place] = number + 1
    }
  }
}

const FIRST_PERSONS = 1_024
