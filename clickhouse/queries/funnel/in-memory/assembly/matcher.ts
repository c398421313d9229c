/*
 * Finds the best attempt of each person of a plain funnel. An instance answers one query at a time: `begin`,
 * `add` for all rows, `prepare`, then `match` for each group of persons. Groups are small, so that everything
 * about one stays in the processor's cache.
 *
 * An event is `time << steps | satisfied`: milliseconds since `origin`, and a bit for each step that it
 * satisfies.
 */

/** For each step the mask and the value that test a code, 4 bytes each. The host writes them. */
const TESTS_AT: usize = 1_024
/** For each step the latest start whose chain has reached it. */
const LATEST_AT: usize = 2_048
/** For each group its number of rows, the address of its first chunk, and that of its next row. */
const GROUPS_AT: usize = 4_096
const GROUPS: u32 = 64
const GROUP_BYTES: usize = 12
const REGIONS_AT: usize = 8_192
/** Rows of a group that lie together, a key and an event each, then the address of the next chunk. */
const CHUNK_BYTES: usize = 8_192
const ROW_BYTES: usize = 16
const ROWS_PER_CHUNK: u32 = 511
/** A key, the number of events, and where the next one goes. */
const PERSON_BYTES: usize = 16
/** Longer sorts merge: insertion is quadratic. */
const MAX_INSERTION: usize = 24 * 8
/** In the level of an attempt: two events of one time satisfy different steps. */
const TIED: u32 = 0x8000_0000

let origin: u64 = 0
let steps: u32 = 0
let stepsMask: u64 = 0
let windowMs: u64 = 0
let startsBefore: u64 = 0
let turn: u32 = 0
/** Up to here memory is used. */
let end: usize = 0
/** Of the group at hand: by row the person's number, and by person the events. */
let personOfAt: usize = 0
let personsAt: usize = 0
let eventsAt: usize = 0
/** Room that merging needs besides. */
let spareAt: usize = 0
let attemptsAt: usize = 0
/** A table of persons' numbers from 1, at most half full; 0 is a free slot. */
let slotsAt: usize = 0
let slots: u32 = 0
let personCount: u32 = 0

/**
 * @param turnRows at most so many rows in one call of `add`
 * @returns where the host writes the rows of a call: keys of 8 bytes, times of 8, then codes of 4
 */
export function begin(turnRows: u32, stepCount: u32, originMs: f64, window: f64, lastStart: f64): usize {
  turn = turnRows
  steps = stepCount
  stepsMask = ((<u64>1) << steps) - 1
  origin = <u64>originMs
  windowMs = <u64>window
  startsBefore = <u64>lastStart
  memory.fill(GROUPS_AT, 0, GROUP_BYTES * GROUPS)
  end = REGIONS_AT
  return take(20 * turn)
}

/** Adds rows that the host has written. @returns how many satisfy a step */
export function add(rows: u32): u32 {
  const keysAt = REGIONS_AT
  const timesAt = keysAt + 8 * turn
  const codesAt = timesAt + 8 * turn
  let added: u32 = 0
  for (let row: u32 = 0; row < rows; row++) {
    const code = load<u32>(codesAt + 4 * row)
    let satisfied: u64 = 0
    for (let step: u32 = 0; step < steps; step++) {
      const test = TESTS_AT + 8 * step
      satisfied |= (<u64>((code & load<u32>(test)) === load<u32>(test, 4))) << step
    }
    if (satisfied === 0) continue
    const key = load<u64>(keysAt + 8 * row)
    const at = placeIn(GROUPS_AT + GROUP_BYTES * <usize>(key & (GROUPS - 1)))
    store<u64>(at, key)
    store<u64>(at, ((load<u64>(timesAt + 8 * row) - origin) << steps) | satisfied, 8)
    added++
  }
  return added
}

/** The place of the next row of a group. */
function placeIn(group: usize): usize {
  const rows = load<u32>(group)
  let at = <usize>load<u32>(group, 8)
  if (rows % ROWS_PER_CHUNK === 0) {
    const chunk = take(CHUNK_BYTES)
    store<u32>(rows === 0 ? group + 4 : at, chunk)
    at = chunk
  }
  store<u32>(group, rows + 1)
  store<u32>(group, at + ROW_BYTES, 8)
  return at
}

/** Makes room for the largest group. @returns the number of groups */
export function prepare(): u32 {
  let most: u32 = 1
  for (let group: u32 = 0; group < GROUPS; group++)
    most = max(most, load<u32>(GROUPS_AT + GROUP_BYTES * group))
  slots = 4 << (31 - clz(most))
  personOfAt = take(4 * most)
  slotsAt = take(4 * slots)
  personsAt = take(PERSON_BYTES * most)
  eventsAt = take(8 * most)
  spareAt = take(8 * most)
  attemptsAt = take((16 + 8 * steps) * most)
  return GROUPS
}

/** The place of an attempt that `match` writes: person's key, level (8 bytes each), then the steps' times. */
export function attempts(): usize {
  return attemptsAt
}

/**
 * Finds the attempts of a group's persons. Persons without a start have none.
 * @param isOrdered whether rows were added in their exact order; otherwise events are sorted by time
 * @returns the number of attempts
 */
export function match(group: u32, isOrdered: bool): u32 {
  collect(GROUPS_AT + GROUP_BYTES * group)
  let found: u32 = 0
  let out = attemptsAt
  for (let person: u32 = 0; person < personCount; person++) {
    const at = personsAt + PERSON_BYTES * person
    const after = eventsAt + 8 * load<u32>(at, 12)
    const from = after - 8 * load<u32>(at, 8)
    if (!isOrdered) sort(from, after)
    const level = find(from, after, out + 16)
    if (level === 0) continue
    store<u64>(out, load<u64>(at))
    store<u32>(out, !isOrdered && isTied(from, after) ? level | TIED : level, 8)
    out += 16 + 8 * steps
    found++
  }
  return found
}

/** Brings the events of each person together, in the order in which they were added. */
function collect(group: usize): void {
  const rows = load<u32>(group)
  personCount = 0
  memory.fill(slotsAt, 0, 4 * slots)
  let at = <usize>load<u32>(group, 4)
  for (let row: u32 = 0; row < rows; row++) {
    if (row > 0 && row % ROWS_PER_CHUNK === 0) at = load<u32>(at)
    const person = numberOf(load<u64>(at))
    store<u32>(personOfAt + 4 * row, person)
    const counted = personsAt + PERSON_BYTES * person + 8
    store<u32>(counted, load<u32>(counted) + 1)
    at += ROW_BYTES
  }
  let next: u32 = 0
  for (let person: u32 = 0; person < personCount; person++) {
    const counted = personsAt + PERSON_BYTES * person + 8
    store<u32>(counted, next, 4)
    next += load<u32>(counted)
  }
  at = load<u32>(group, 4)
  for (let row: u32 = 0; row < rows; row++) {
    if (row > 0 && row % ROWS_PER_CHUNK === 0) at = load<u32>(at)
    const placed = personsAt + PERSON_BYTES * load<u32>(personOfAt + 4 * row) + 12
    const place = load<u32>(placed)
    store<u32>(placed, place + 1)
    store<u64>(eventsAt + 8 * place, load<u64>(at, 8))
    at += ROW_BYTES
  }
}

/** The number of a person, from 0 in the order of appearance. Keys are hashes already. */
function numberOf(key: u64): u32 {
  let slot = <u32>(key >> 6) & (slots - 1)
  for (; ; slot = (slot + 1) & (slots - 1)) {
    const number = load<u32>(slotsAt + 4 * slot)
    if (number === 0) break
    if (load<u64>(personsAt + PERSON_BYTES * (number - 1)) === key) return number - 1
  }
  const person = personsAt + PERSON_BYTES * personCount
  store<u64>(person, key)
  store<u32>(person, 0, 8)
  store<u32>(slotsAt + 4 * slot, ++personCount)
  return personCount - 1
}

/** The steps that the best attempt reaches; 0 if none begins: see `orderedAttemptSql`. */
function find(from: usize, after: usize, timesAt: usize): u32 {
  let level: u32 = 0
  let last: usize = from
  /** Steps below this have a chain. */
  let chains: u32 = 0
  for (let at = from; at < after; at += 8) {
    const event = load<u64>(at)
    const time = event >> steps
    let satisfied = <u32>(event & stepsMask) & ((2 << chains) - 1)
    // From the last step down, because an event takes part in a chain once.
    while (satisfied > 1) {
      const step: u32 = 31 - clz(satisfied)
      satisfied ^= 1 << step
      const start = load<u64>(LATEST_AT + 8 * (step - 1))
      store<u64>(LATEST_AT + 8 * step, start)
      if (step === chains) chains++
      if (step < level || time - start > windowMs) continue
      level = step + 1
      last = at
    }
    if (satisfied === 0 || time >= startsBefore) continue
    store<u64>(LATEST_AT, time)
    if (chains > 0) continue
    chains = 1
    level = 1
    last = at
  }
  if (level > 0) walk(from, last, level, timesAt)
  return level
}

/** Writes times: from the first start in the window before the completing event, the earliest next step. */
function walk(from: usize, last: usize, level: u32, timesAt: usize): void {
  const completed = load<u64>(last) >> steps
  let step: u32 = 0
  for (let at = from; step < level && at <= last; at += 8) {
    const event = load<u64>(at)
    if (((event >> step) & 1) === 0) continue
    const time = event >> steps
    if (step === 0 && (time + windowMs < completed || time >= startsBefore)) continue
    store<f64>(timesAt + 8 * step, <f64>time)
    step++
  }
}

/** Whether two events of one time satisfy different steps. */
function isTied(from: usize, after: usize): bool {
  for (let at = from + 8; at < after; at += 8) {
    const differing = load<u64>(at) ^ load<u64>(at - 8)
    if (differing !== 0 && differing <= stepsMask) return true
  }
  return false
}

function sort(from: usize, after: usize): void {
  if (after - from <= MAX_INSERTION) {
    insertionSort(from, after)
    return
  }
  for (let at = from; at < after; at += MAX_INSERTION) insertionSort(at, min(after, at + MAX_INSERTION))
  for (let run = MAX_INSERTION; run < after - from; run *= 2)
    for (let at = from; at + run < after; at += 2 * run) merge(at, at + run, min(after, at + 2 * run))
}

function insertionSort(from: usize, after: usize): void {
  for (let at = from + 8; at < after; at += 8) {
    const event = load<u64>(at)
    let free = at
    for (; free > from && load<u64>(free - 8) > event; free -= 8) store<u64>(free, load<u64>(free - 8))
    store<u64>(free, event)
  }
}

/** Merges two neighbouring runs. */
function merge(from: usize, middle: usize, after: usize): void {
  memory.copy(spareAt, from, middle - from)
  const firstEnd = spareAt + middle - from
  let first = spareAt
  let second = middle
  for (let out = from; first < firstEnd; out += 8) {
    if (second < after && load<u64>(second) < load<u64>(first)) {
      store<u64>(out, load<u64>(second))
      second += 8
    } else {
      store<u64>(out, load<u64>(first))
      first += 8
    }
  }
}

/** Takes more memory, which may hold anything. @returns its address, a multiple of 8 */
function take(bytes: usize): usize {
  const at = end
  end = (at + bytes + 7) & ~7
  const missing = <isize>(end - ((<usize>memory.size()) << 16))
  // Growing moves nothing, but takes a call of the system.
  if (missing > 0) memory.grow(<i32>max((missing + 65_535) >> 16, 16))
  return at
}
