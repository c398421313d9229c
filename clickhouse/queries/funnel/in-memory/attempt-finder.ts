import { compileModule } from '../../../../runtime/web-assembly.js'
import { nativeBlocks } from '../../../statements/native.js'
import { ITEMS_PER_TURN, yieldingLoop } from './yielding-loop.js'

/** Bytes of a person key, a timestamp and a code. */
const WIDTHS = [8, 8, 4] as const
/** Of `assembly/matcher.ts`. */
const TESTS_AT = 1_024
const TIED = 2 ** 31

/** The requirements of a funnel on one person's events. */
export interface SequenceRules {
  /** Per step: an event satisfies it if the bits of its code under `mask` equal `value`. */
  readonly tests: readonly { readonly mask: number; readonly value: number }[]
  /** Start of the funnel's clock, in milliseconds since 1970, before all events. */
  readonly origin: number
  readonly windowMs: number
  /** Attempts begin before this time on the funnel's clock. */
  readonly startsBefore: number
}

/** Exports of `assembly/matcher.ts`, which explains them. */
interface Matcher {
  readonly memory: { readonly buffer: ArrayBuffer }
  begin(turnRows: number, steps: number, origin: number, windowMs: number, startsBefore: number): number
  add(rows: number): number
  prepare(): number
  match(group: number, isOrdered: boolean): number
  attempts(): number
}

let newMatcher: (() => Matcher) | undefined
/** One that has ended its query. New memory costs page faults, and garbage collections of the whole heap. */
let spare: Matcher | undefined
const KEPT_MS = 30_000
const KEPT_BYTES = 32 * 1024 * 1024

function takeMatcher(): Matcher {
  newMatcher ??= compileModule<Matcher>(new URL('./matcher.wasm', import.meta.url), {})
  const matcher = spare ?? newMatcher()
  spare = undefined
  return matcher
}

function keepMatcher(matcher: Matcher): void {
  if (matcher.memory.buffer.byteLength > KEPT_BYTES) return
  spare = matcher
  setTimeout(() => {
    if (spare === matcher) spare = undefined
  }, KEPT_MS).unref()
}

/** The best attempt of a person. The same object for all of them. */
export interface Attempt {
  /** Steps reached, one or more. */
  level: number
  /** When they were reached, on the funnel's clock. */
  readonly times: Float64Array
  /** Whether timestamps leave open in which order the person satisfied two different steps. */
  isTied: boolean
}

/**
 * Finds the best attempt of each person in the rows of a Native answer. A row is the person's key, a
 * timestamp and a code; rows with code 0 are irrelevant.
 *
 * @param isOrdered whether the rows come in their exact order, so that there are no ties
 * @returns the number of relevant rows
 */
export async function findAttempts(
  answer: Uint8Array,
  { tests, origin, windowMs, startsBefore }: SequenceRules,
  isOrdered: boolean,
  signal: AbortSignal | undefined,
  onAttempt: (attempt: Attempt, keyOf: () => bigint) => void,
): Promise<number> {
  const matcher = takeMatcher()
  const rowsAt = matcher.begin(ITEMS_PER_TURN, tests.length, origin, windowMs, startsBefore)
  new Uint32Array(matcher.memory.buffer, TESTS_AT).set(tests.flatMap(({ mask, value }) => [mask, value]))
  let relevant = 0
  for (const { rows, columns } of nativeBlocks(answer))
    await yieldingLoop(rows, signal, (from, to) => {
      // Adding may grow the memory, which replaces its buffer.
      const memory = new Uint8Array(matcher.memory.buffer)
      let at = rowsAt
      for (const [index, width] of WIDTHS.entries()) {
        const column = columns[index]
        if (column === undefined) throw new RangeError('an event has a person, a timestamp and a code')
        memory.set(column.subarray(from * width, to * width), at)
        at += width * ITEMS_PER_TURN
      }
      relevant += matcher.add(to - from)
    })
  const times = new Float64Array(tests.length)
  const attempt = { level: 0, times, isTied: false }
  const groups = matcher.prepare()
  const numbers = new Uint32Array(matcher.memory.buffer)
  const found = new Float64Array(matcher.memory.buffer)
  const keys = new BigUint64Array(matcher.memory.buffer)
  let at = 0
  const keyOf = () => keys[at] ?? 0n
  await yieldingLoop(
    groups,
    signal,
    (group) => {
      const count = matcher.match(group, isOrdered)
      at = matcher.attempts() / 8
      for (let index = 0; index < count; index++, at += 2 + tests.length) {
        const level = numbers[2 * at + 2] ?? 0
        attempt.level = level % TIED
        attempt.isTied = level >= TIED
        for (let step = 0; step < attempt.level; step++) times[step] = found[at + 2 + step] ?? 0
        onAttempt(attempt, keyOf)
      }
    },
    1,
  )
  keepMatcher(matcher)
  return relevant
}
