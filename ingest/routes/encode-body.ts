import type { Sender } from '../../domain/event.js'
import { encodeEvents, type WorkspaceHashKeys } from '../../log/record.js'
import { type DecodeResult, decodeEvents } from '../decode/decode.js'
import { createFastDecoder, type EncodedRequest } from '../decode/fast-path/decoder.js'

/** Turns a body of `POST /v1/events`, after decompression, into records for the log, or says why it is refused. Keeps nothing of `body`. */
export type EncodeBody = (
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
) => DecodeResult<EncodedRequest>

/**
 * Two ways to the same bytes: the pass where it can prove what it does, which is nearly always, and for every other body, good or bad, the parser and the rules behind it, which
 * alone refuse.
 */
export function createBodyEncoder(log: { readonly partitions: number }): EncodeBody {
  const pass = createFastDecoder(log)
  return (body, sender, keys) => {
    const value = pass(body, sender, keys)
    return value === undefined ? encodeWithParser(body, sender, keys, log) : { ok: true, value }
  }
}

/** The way that takes every body. */
export function encodeWithParser(
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number },
): DecodeResult<EncodedRequest> {
  const decoded = decodeEvents(body)
  return decoded.ok ? { ok: true, value: encodeEvents({ ...sender, ...decoded.value }, keys, log) } : decoded
}
