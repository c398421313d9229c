import { BLOCK_AT, HASH_BITS, RESULT_AT, TABLE_AT } from '../lz4-memory-layout'

/*
 * LZ4 blocks (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md), fast rather than small: one
 * candidate for each hash.
 *
 * The table is never cleared. Entries of an earlier block are addresses within this one or none, and every
 * candidate is compared before it counts.
 */
const FIRST: usize = BLOCK_AT
/** The last match begins at least so far before the end, and ends so far before it. */
const LAST_MATCH: usize = 12
const LAST_LITERALS: usize = 5
const MIN_MATCH: usize = 4
const FARTHEST: usize = 65_535
const LONG: usize = 15
/** After 2^PATIENCE tries without a match every second position is tried, then every third. */
const PATIENCE: usize = 6
/** Spreads six bytes over 64 bits. */
const PRIME: u64 = 227_718_039_650_203

function slotOf(bytes: u64): usize {
  return <usize>TABLE_AT + ((<usize>(((bytes << 16) * PRIME) >> (64 - HASH_BITS))) << 2)
}

export function compress(length: usize): usize {
  const end = FIRST + length
  const lastMatch = end - LAST_MATCH
  let out: usize = RESULT_AT
  let anchor = FIRST
  let at = FIRST
  let isLast = length <= LAST_MATCH
  while (true) {
    let from: usize = 0
    let tries: usize = 1 << PATIENCE
    while (!isLast) {
      const bytes = load<u64>(at)
      const slot = slotOf(bytes)
      from = load<u32>(slot)
      store<u32>(slot, at)
      // Unsigned, so an address ahead, left by an earlier block, counts as too far.
      if (<u32>bytes === load<u32>(from) && from >= FIRST && at - from - 1 < FARTHEST) break
      at += tries++ >> PATIENCE
      isLast = at > lastMatch
    }
    if (isLast) at = end
    else
      while (at > anchor && from > FIRST && load<u8>(at - 1) === load<u8>(from - 1)) {
        at--
        from--
      }
    const token = out++
    const run = at - anchor
    const high = min(run, LONG) << 4
    if (run >= LONG) out = restOfLength(run - LONG, out)
    out = copied(anchor, run, out)
    if (isLast) {
      store<u8>(token, <u8>high)
      break
    }
    store<u16>(out, <u16>(at - from))
    out += 2
    const matched = lengthOfMatch(at + MIN_MATCH, from + MIN_MATCH, end - LAST_LITERALS)
    store<u8>(token, <u8>(high | min(matched, LONG)))
    if (matched >= LONG) out = restOfLength(matched - LONG, out)
    at += MIN_MATCH + matched
    anchor = at
    isLast = at > lastMatch
  }
  return out - RESULT_AT
}

/** Copies bytes. Returns the address behind them. */
function copied(from: usize, length: usize, into: usize): usize {
  v128.store(into, v128.load(from))
  for (let done: usize = 16; done < length; done += 16) v128.store(into + done, v128.load(from + done))
  return into + length
}

function restOfLength(length: usize, into: usize): usize {
  let rest = length
  let out = into
  for (; rest >= 255; rest -= 255) store<u8>(out++, 255)
  store<u8>(out++, <u8>rest)
  return out
}

/** How many bytes are equal from both addresses on, up to `end`. */
function lengthOfMatch(place: usize, earlier: usize, end: usize): usize {
  let at = place
  let from = earlier
  while (at + 8 <= end) {
    const differing = load<u64>(at) ^ load<u64>(from)
    if (differing !== 0) return at + <usize>(ctz(differing) >> 3) - place
    at += 8
    from += 8
  }
  while (at < end && load<u8>(at) === load<u8>(from)) {
    at++
    from++
  }
  return at - place
}
