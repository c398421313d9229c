/** Buffers are used again, by powers of two: fresh ones for every body would keep the garbage collector and the system's memory busy. */
const MIN_BUFFER_BYTES = 16 * 1024
const MAX_POOLED_BYTES = 16 * 1024 * 1024
const pools = new Map<number, Buffer[]>()
let pooledBytes = 0

/** Memory of at least so many bytes, with whatever is in it. */
export function acquireBuffer(bytes: number): Buffer {
  let size = MIN_BUFFER_BYTES
  while (size < bytes) size *= 2
  const buffer = pools.get(size)?.pop()
  if (buffer === undefined) return Buffer.allocUnsafeSlow(size)
  pooledBytes -= size
  return buffer
}

/** Nobody uses what `take` gave any longer. What is never given back is left to the garbage collector. */
export function releaseBuffer(buffer: Buffer): void {
  if (pooledBytes + buffer.length > MAX_POOLED_BYTES) return
  pooledBytes += buffer.length
  const list = pools.get(buffer.length)
  if (list === undefined) pools.set(buffer.length, [buffer])
  else list.push(buffer)
}
