import { EXPOSURE_EVENT, type Sender } from '../../domain/event.js'
import { encodeEvents, type WorkspaceHashKeys } from '../../log/record.js'
import { exposuresOnlyRefusal, type IngestRefusal, insertIdRefusal } from '../http/errors.js'
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

/** More than 500 exposures with the longest ids need. */
const MAX_EXPOSURES_BYTES = 512 * 1024
const TOO_MANY_EXPOSURES: IngestRefusal = {
  code: 'PAYLOAD_TOO_LARGE',
  message:
    'the body is larger than 512 KiB, which is the limit of a key for exposures: send fewer per request',
}

const OWN_IDS = `${EXPOSURE_EVENT}:`

/** The same for a key that may send exposures only. */
export function encodeExposures(
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number },
): DecodeResult<EncodedRequest> {
  if (body.length > MAX_EXPOSURES_BYTES) return { ok: false, refusal: TOO_MANY_EXPOSURES }
  const decoded = decodeEvents(body)
  if (!decoded.ok) return decoded
  const other = decoded.value.events.findIndex(({ event }) => event !== EXPOSURE_EVENT)
  if (other !== -1) return { ok: false, refusal: exposuresOnlyRefusal(`/events/${other}/event`) }
  // With the id of a shop's event, that event would be dropped as a repetition.
  const stolen = decoded.value.events.findIndex(({ insertId }) => insertId?.startsWith(OWN_IDS) === false)
  if (stolen !== -1) return { ok: false, refusal: insertIdRefusal(`/events/${stolen}/insertId`) }
  return { ok: true, value: encodeEvents({ ...sender, ...decoded.value }, keys, log) }
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
