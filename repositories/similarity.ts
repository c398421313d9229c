/**
 * How much of two texts is the same, 0 to 1: the bytes of lines that both have, wherever they stand, of the longer one's. As git tells a rename with changes from a new
 * file, which takes a half and more for one.
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

/** With their ends, a character a byte. */
function* linesOf(bytes: Uint8Array): Iterable<string> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    yield text.slice(start, next)
    start = next
  }
}
