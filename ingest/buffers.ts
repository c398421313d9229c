/** Buffers are used again, by powers of two: fresh ones for every body would keep the garbage collector and the system's memory busy. */
const SMALLEST = 16 * 1024
const MAX_KEPT_BYTES = 16 * 1024 * 1024
const kept = new Map<number, Buffer[]>()
let keptBytes = 0

/** Memory of at least so many bytes, with whatever is in it. */
export function take(bytes: number): Buffer {
  let size = SMALLEST
  while (size < bytes) size *= 2
  const buffer = kept.get(size)?.pop()
  if (buffer === undefined) return Buffer.allocUnsafeSlow(size)
  keptBytes -= size
  return buffer
}

/** Nobody uses what `take` gave any longer. What is never given back is left to the garbage collector. */
export function giveBack(buffer: Buffer): void {
  if (keptBytes + buffer.length > MAX_KEPT_BYTES) return
  keptBytes += buffer.length
  const list = kept.get(buffer.length)
  if (list === undefined) kept.set(buffer.length, [buffer])
  else list.push(buffer)
}
