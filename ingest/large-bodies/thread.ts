import { parentPort, workerData } from 'node:worker_threads'
import type { LogRecord } from '../../log/port.js'
import { wastedBytes } from '../decode/complexity-limit.js'
import { decodeAlias } from '../decode/decode.js'
import { createBodyEncoder } from '../decode/encode-body.js'
import { encodeForeign } from '../formats/encode-foreign.js'
import type { DecoderLayout, ThreadRequest, ThreadResponse } from './large-bodies.js'

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
    request.kind === 'foreign'
      ? encodeForeign(request.call, body, sender, keys, layout)
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
