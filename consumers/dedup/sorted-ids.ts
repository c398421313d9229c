/** Words of an id in a run, as in a `HashSet`; the highest byte of its fourth word is the table. */
export const ID_WORDS = 3
export const RUN_ID_BYTES = ID_WORDS * 4

/** The order of ids in a run: by table, then by the third word. As a signed word; compare it unsigned. */
export function sortKey(w2: number, w3: number): number {
  return (w3 & 0xff000000) | (w2 >>> 8)
}

/**
 * Sorts the ids of one table by their third word, unsigned, and drops repeated ones. Hashes are spread
 * evenly, so each id goes about where it belongs, and few have to move from there.
 *
 * @param ids the first `count` ids are sorted, and overwritten
 * @returns how many are left
 */
export function sortIds(ids: Int32Array, count: number): number {
  if (count < 2) return count
  let lowest = 2 ** 32
  let highest = 0
  for (let at = 2; at < count * ID_WORDS; at += ID_WORDS) {
    const w2 = (ids[at] as number) >>> 0
    if (w2 < lowest) lowest = w2
    if (w2 > highest) highest = w2
  }
  const slots = (highest - lowest + 1) / count
  const ends = new Uint32Array(count + 1)
  for (let at = 2; at < count * ID_WORDS; at += ID_WORDS) {
    const slot = Math.floor((((ids[at] as number) >>> 0) - lowest) / slots) + 1
    ends[slot] = (ends[slot] as number) + 1
  }
  for (let slot = 1; slot <= count; slot++) ends[slot] = (ends[slot] as number) + (ends[slot - 1] as number)
  const from = ids.slice(0, count * ID_WORDS)
  for (let at = 0; at < from.length; at += ID_WORDS) {
    const slot = Math.floor((((from[at + 2] as number) >>> 0) - lowest) / slots)
    const to = ends[slot] as number
    ends[slot] = to + 1
    ids[to * ID_WORDS] = from[at] as number
    ids[to * ID_WORDS + 1] = from[at + 1] as number
    ids[to * ID_WORDS + 2] = from[at + 2] as number
  }
  return insertionSort(ids, count)
}

function insertionSort(ids: Int32Array, count: number): number {
  let end = 1
  for (let from = ID_WORDS; from < count * ID_WORDS; from += ID_WORDS) {
    const w0 = ids[from] as number
    const w1 = ids[from + 1] as number
    const w2 = ids[from + 2] as number
    let at = end * ID_WORDS
    for (; at > 0 && (ids[at - 1] as number) >>> 0 > w2 >>> 0; at -= ID_WORDS) {
      ids[at] = ids[at - 3] as number
      ids[at + 1] = ids[at - 2] as number
      ids[at + 2] = ids[at - 1] as number
    }
    ids[at] = w0
    ids[at + 1] = w1
    ids[at + 2] = w2
    end++
    if (at > 0 && ids[at - 1] === w2 && ids[at - 2] === w1 && ids[at - 3] === w0) {
      // Equal to the id before it: close the gap.
      ids.copyWithin(at, at + ID_WORDS, end * ID_WORDS)
      end--
    }
  }
  return end
}
