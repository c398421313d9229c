import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { acquireBuffer, releaseBuffer } from './buffer-pool.js'
import type { IngestRefusal } from './errors.js'
import type { GatewayExchange } from './exchange.js'
import type { HttpResponse } from './uws.js'

/** As sent and after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

export const BODY_TOO_LARGE: IngestRefusal = {
  code: 'PAYLOAD_TOO_LARGE',
  message: 'the body is larger than 8 MiB, as sent or after decompression: send fewer events per request',
}
/** Decompression beyond this size is bounded by the compressed size, so that a small body costs little. */
const FREE_DECOMPRESSED_BYTES = 1024 * 1024
const MAX_RATIO = 100
const RATIO_TOO_LARGE: IngestRefusal = {
  code: 'PAYLOAD_TOO_LARGE',
  message: `the body decompresses to more than 1 MiB and more than ${MAX_RATIO} times its size: send fewer events per request`,
}

/**
 * A declared length is trusted up to this size, so that an admitted batch of usual size is not refused
 * half-way.
 */
const MAX_TRUSTED_LENGTH = 512 * 1024

/**
 * Calls either `complete` once, with a buffer that is valid only during the call, or `refused` once; neither
 * after the exchange was answered or aborted. The exchange reserves the bytes as they come.
 *
 * @param declared Content-Length, undefined for a chunked body
 * @param isAdmitted whether the sender is known, so that memory is reserved for what is still to come
 */
export function receiveBody(
  res: HttpResponse,
  exchange: GatewayExchange,
  declared: number | undefined,
  isAdmitted: boolean,
  complete: (body: Buffer) => void,
  refused: (refusal: IngestRefusal) => void,
): void {
  let buffer: Buffer | undefined
  let length = 0
  let passed = 0
  let over = false
  let held = isAdmitted ? Math.min(declared ?? 0, MAX_TRUSTED_LENGTH) : 0
  const overloaded = exchange.reserve(held)
  if (overloaded !== undefined) {
    if (exchange.isWaitingForEnd) skipBody(res, exchange)
    refused(overloaded)
    return
  }
  res.onData((chunk, isLast) => {
    passed += chunk.byteLength
    if (isLast || passed > MAX_SKIPPED_BYTES) exchange.endBody()
    if (over) return
    if (!exchange.isOpen) {
      // Answered early or aborted: the rest is read and dropped.
      over = true
      if (buffer !== undefined) releaseBuffer(buffer)
      buffer = undefined
      return
    }
    const size = chunk.byteLength
    const total = length + size
    const more = Math.max(0, total - held)
    const refusal = total > MAX_BODY_BYTES ? BODY_TOO_LARGE : exchange.reserve(more)
    if (refusal !== undefined) {
      over = true
      if (buffer !== undefined) releaseBuffer(buffer)
      buffer = undefined
      refused(refusal)
      return
    }
    held += more
    if (isLast && length === 0) {
      over = true
      complete(Buffer.from(chunk))
      return
    }
    // uWebSockets.js reuses the chunk after this call, so copy it. Declared bytes are not allocated before
    // they come.
    if (buffer === undefined)
      buffer = acquireBuffer(Math.max(total, Math.min(declared ?? 0, MAX_TRUSTED_LENGTH)))
    else if (total > buffer.length) {
      const larger = acquireBuffer(Math.max(total, Math.min(buffer.length * 2, declared ?? MAX_BODY_BYTES)))
      buffer.copy(larger, 0, 0, length)
      releaseBuffer(buffer)
      buffer = larger
    }
    buffer.set(new Uint8Array(chunk), length)
    length = total
    if (!isLast) return
    over = true
    const whole = buffer
    buffer = undefined
    try {
      complete(whole.subarray(0, length))
    } finally {
      releaseBuffer(whole)
    }
  })
}

/** A refused body with a longer rest is not skipped: the connection is closed. */
export const MAX_SKIPPED_BYTES = 64 * 1024 * 1024

export function skipBody(res: HttpResponse, exchange: GatewayExchange): void {
  let length = 0
  res.onData((chunk, isLast) => {
    length += chunk.byteLength
    if (isLast || length > MAX_SKIPPED_BYTES) exchange.endBody()
  })
}

export type BodyEncoding = 'identity' | 'gzip' | 'deflate' | 'br'

/** The most bytes that a compressed body of this size may hold. */
export function maxDecompressedBytes(compressedBytes: number): number {
  return Math.min(MAX_BODY_BYTES, Math.max(FREE_DECOMPRESSED_BYTES, MAX_RATIO * compressedBytes))
}

/** Whether the body begins as gzip does. JSON never does. */
export function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b
}

/** The body without its Content-Encoding, or a refusal. */
export function decompress(body: Buffer, encoding: BodyEncoding): Buffer | IngestRefusal {
  if (encoding === 'identity') return body
  const maxOutputLength = maxDecompressedBytes(body.length)
  try {
    const { buffer, engine } = inflate(body, encoding, maxOutputLength)
    if (engine.bytesWritten !== body.length) return damaged(encoding)
    return buffer
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      return maxOutputLength < MAX_BODY_BYTES ? RATIO_TOO_LARGE : BODY_TOO_LARGE
    return damaged(encoding)
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

function inflate(
  body: Buffer,
  encoding: Exclude<BodyEncoding, 'identity'>,
  maxOutputLength: number,
): Inflated {
  // `info` makes zlib report how much of the input it read; its types do not know that.
  const options = { maxOutputLength, chunkSize: 256 * 1024, info: true }
  switch (encoding) {
    case 'gzip':
      return gunzipSync(body, options) as unknown as Inflated
    case 'br':
      return brotliDecompressSync(body, options) as unknown as Inflated
    case 'deflate':
      return (isZlib(body)
        ? inflateSync(body, options)
        : inflateRawSync(body, options)) as unknown as Inflated
  }
}

/** `deflate` means the zlib format by the standard, and raw deflate for some clients. */
function isZlib(body: Buffer): boolean {
  const first = body[0] ?? 0
  const second = body[1] ?? 0
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0
}

function damaged(encoding: BodyEncoding): IngestRefusal {
  return {
    code: 'MALFORMED_JSON',
    message: `the body cannot be decompressed as ${encoding}: it is damaged, truncated or compressed with another method`,
    field: '',
  }
}
