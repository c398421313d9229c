import { parentPort, workerData } from 'node:worker_threads'
import type { LogRecord } from '../../log/port.js'
import { wastedBytes } from './complexity-limit.js'
import { decodeAlias } from './decode.js'
import { createBodyEncoder } from './encode-body.js'
import type { DecoderLayout, ThreadRequest, ThreadResponse } from './large-bodies.js'

/** Worker thread that decodes one large body at a time. */

const encode = createBodyEncoder(workerData as DecoderLayout)

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
  const decoded = encode(body, request.sender, request.keys)
  const wasted = wastedBytes(body, decoded.ok ? decoded.value.count : 0)
  if (!decoded.ok) return { response: { decoded, wasted }, buffers: [] }
  // Payloads share pooled memory, and a message would copy all of it.
  const buffers: ArrayBuffer[] = []
  const records = decoded.value.records.map((record): LogRecord => {
    const payload = new Uint8Array(record.payload)
    buffers.push(payload.buffer)
    return { ...record, payload }
  })
  decoded.value.release?.()
  const { head, count, pairs, placeholders } = decoded.value
  return {
    response: { decoded: { ok: true, value: { head, count, pairs, placeholders, records } }, wasted },
    buffers,
  }
}
