import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { acquireBuffer, releaseBuffer } from './buffer-pool.js'
import type { IngestRefusal } from './errors.js'
import type { GatewayExchange } from './exchange.js'
import type { HttpResponse } from './uws.js'

/** The most a body may have, as sent and after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

export const TOO_LARGE: IngestRefusal = {
  code: 'PAYLOAD_TOO_LARGE',
  message: 'the body has more than 8 MiB, as sent or after decompression: send fewer events in a request',
}
export const OVERLOADED: IngestRefusal = {
  code: 'UNAVAILABLE',
  message:
    'the gateway has as much in hand as it can hold, and recorded nothing of this request: send it again',
  headers: [['Retry-After', '1']],
}

/** So much of what a client announces is believed: a batch of usual size that was let in is not turned away half-way. */
const MAX_TRUSTED_LENGTH = 512 * 1024

/**
 * Receives a request's body. Calls `complete` once with all of it, in a buffer that is only valid during the call, or `refused`
 * once; neither after the exchange has been answered or has gone. Bytes are counted as they come and held by the exchange.
 *
 * @param declared the Content-Length, undefined for a chunked body
 * @param isAdmitted whether the sender is known, so that room can be kept for what is still to come
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
  if (!exchange.reserve(held)) {
    if (exchange.isWaitingForEnd) skipBody(res, exchange)
    refused(OVERLOADED)
    return
  }
  res.onData((chunk, isLast) => {
    passed += chunk.byteLength
    if (isLast || passed > MAX_SKIPPED_BYTES) exchange.endBody()
    if (over) return
    if (!exchange.isOpen) {
      // Answered early, or gone: the rest is read and dropped.
      over = true
      if (buffer !== undefined) releaseBuffer(buffer)
      buffer = undefined
      return
    }
    const size = chunk.byteLength
    const total = length + size
    const more = Math.max(0, total - held)
    const refusal = total > MAX_BODY_BYTES ? TOO_LARGE : exchange.reserve(more) ? undefined : OVERLOADED
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
    // uWebSockets.js takes the chunk back when this returns, so it is copied. What a client only announces is not allocated.
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

/** A longer rest of a refused body is not skipped: the connection is closed. */
export const MAX_SKIPPED_BYTES = 64 * 1024 * 1024

/** Lets the body of a request pass that has been refused before it came, where its answer waits for the end. */
export function skipBody(res: HttpResponse, exchange: GatewayExchange): void {
  let length = 0
  res.onData((chunk, isLast) => {
    length += chunk.byteLength
    if (isLast || length > MAX_SKIPPED_BYTES) exchange.endBody()
  })
}

export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br'

/** The body as it was before its Content-Encoding, or why it cannot be had. Never makes more than 8 MiB of it. */
export function decompress(body: Buffer, encoding: Encoding): Buffer | IngestRefusal {
  if (encoding === 'identity') return body
  try {
    const { buffer, engine } = inflate(body, encoding)
    if (engine.bytesWritten !== body.length) return damaged(encoding)
    return buffer
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      return TOO_LARGE
    return damaged(encoding)
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

function inflate(body: Buffer, encoding: Exclude<Encoding, 'identity'>): Inflated {
  // With `info` zlib also says how much of the input it read, which its types do not know.
  const options = { maxOutputLength: MAX_BODY_BYTES, chunkSize: 256 * 1024, info: true }
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

/** `deflate` is the zlib format by the book, and bare deflate from some clients. */
function isZlib(body: Buffer): boolean {
  const first = body[0] ?? 0
  const second = body[1] ?? 0
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0
}

function damaged(encoding: Encoding): IngestRefusal {
  return {
    code: 'MALFORMED_JSON',
    message: `the body cannot be decompressed as ${encoding}: it is damaged, cut short or compressed in another way`,
    field: '',
  }
}
