import { parentPort, workerData } from 'node:worker_threads'
import type { Sender } from '../../domain/event.js'
import type { LogRecord } from '../../log/port.js'
import type { WorkspaceHashKeys } from '../../log/record.js'
import { wastedBytes } from '../decode/complexity-limit.js'
import { type DecodeResult, decodeAlias } from '../decode/decode.js'
import { createBodyEncoder, encodeWithParser } from '../decode/encode-body.js'
import type { EncodedRequest } from '../decode/fast-path/decoder.js'
import { encodeWithWarnings } from '../decode/warnings.js'
import { encodeForeign } from '../formats/encode-foreign.js'
import type { DecoderLayout, ParsedFormat, ThreadRequest, ThreadResponse } from './large-bodies.js'

/** Worker thread that decodes one large body at a time. */

const layout = workerData as DecoderLayout
const encode = createBodyEncoder(layout)

parentPort?.on('message', (request: ThreadRequest) => {
  const { response, buffers } = answer(request)
  parentPort?.postMessage(response, buffers)
})

function answer(request: ThreadRequest): { response: ThreadResponse; buffers: ArrayBuffer[] } {
  const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength)
  if (request.kind === 'alias') {
    const decoded = decodeAlias(body)
    return { response: { decoded, wasted: wastedBytes(body, decoded.ok ? 1 : 0) }, buffers: [] }
  }
  const { sender, keys } = request
  const decoded =
    request.kind === 'parsed'
      ? encodeParsed(request.format, body, sender, keys)
      : sender.imported
        ? encodeWithParser(body, sender, keys, layout)
        : encode(body, sender, keys)
  const wasted = wastedBytes(body, decoded.ok ? decoded.value.count : 0)
  if (!decoded.ok) return { response: { decoded, wasted }, buffers: [] }
  // Payloads share pooled memory, and a message would copy all of it.
  const buffers: ArrayBuffer[] = []
  const records = decoded.value.records.map((record): LogRecord => {
    const payload = new Uint8Array(record.payload)
    buffers.push(payload.buffer)
    return { ...record, payload }
  })
  const { release, ...value } = decoded.value
  release?.()
  return { response: { decoded: { ok: true, value: { ...value, records } }, wasted }, buffers }
}

function encodeParsed(
  format: ParsedFormat,
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
): DecodeResult<EncodedRequest> {
  return format === 'warnings'
    ? encodeWithWarnings(body, sender, keys, layout)
    : encodeForeign(format, body, sender, keys, layout)
}
