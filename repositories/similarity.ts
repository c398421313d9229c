/**
 * The similarity of two texts, 0 to 1: the bytes of their common lines, relative to the longer text. Git uses
 * the same measure for renames, with a threshold of one half.
 */
export function similarity(one: Uint8Array, other: Uint8Array): number {
  const longer = Math.max(one.length, other.length)
  if (longer === 0) return 0
  const lines = new Map<string, number>()
  for (const line of linesOf(one)) lines.set(line, (lines.get(line) ?? 0) + 1)
  let common = 0
  for (const line of linesOf(other)) {
    const left = lines.get(line) ?? 0
    if (left === 0) continue
    lines.set(line, left - 1)
    common += line.length
  }
  return common / longer
}

/** Lines with their ends, in latin1. */
function* linesOf(bytes: Uint8Array): Iterable<string> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    yield text.slice(start, next)
    start = next
  }
}
