import type { Sender } from '../../domain/event.js'
import { encodeEvents, type WorkspaceHashKeys } from '../../log/record.js'
import { type DecodeResult, decodeEvents } from './decode.js'
import { createFastDecoder, type EncodedRequest } from './fast-path/decoder.js'

/**
 * Encodes a body of `POST /v1/events`, after decompression, into records for the log, or refuses it. Keeps
 * nothing of `body`.
 */
export type EncodeBody = (
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
) => DecodeResult<EncodedRequest>

/**
 * Two ways to the same bytes: the fast decoder for nearly every body, the parser and the schema for any that
 * it cannot prove valid. Only the latter refuses.
 */
export function createBodyEncoder(log: { readonly partitions: number }): EncodeBody {
  const pass = createFastDecoder(log)
  return (body, sender, keys) => {
    const value = pass(body, sender, keys)
    return value === undefined ? encodeWithParser(body, sender, keys, log) : { ok: true, value }
  }
}

export function encodeWithParser(
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number },
): DecodeResult<EncodedRequest> {
  const decoded = decodeEvents(body)
  return decoded.ok ? { ok: true, value: encodeEvents({ ...sender, ...decoded.value }, keys, log) } : decoded
}
