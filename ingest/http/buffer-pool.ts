/** Buffers are reused, by powers of two: new ones for every body would keep the garbage collector busy. */
const MIN_BUFFER_BYTES = 16 * 1024
const MAX_POOLED_BYTES = 16 * 1024 * 1024
const pools = new Map<number, Buffer[]>()
let pooledBytes = 0

/** A buffer of at least this size, not cleared. */
export function acquireBuffer(bytes: number): Buffer {
  let size = MIN_BUFFER_BYTES
  while (size < bytes) size *= 2
  const buffer = pools.get(size)?.pop()
  if (buffer === undefined) return Buffer.allocUnsafeSlow(size)
  pooledBytes -= size
  return buffer
}

/**
 * Returns a buffer of `acquireBuffer` that is no longer used. One that is never returned is garbage
 * collected.
 */
export function releaseBuffer(buffer: Buffer): void {
  if (pooledBytes + buffer.length > MAX_POOLED_BYTES) return
  pooledBytes += buffer.length
  const list = pools.get(buffer.length)
  if (list === undefined) pools.set(buffer.length, [buffer])
  else list.push(buffer)
}
