import { isDeepStrictEqual } from 'node:util'
import { workspaceHashKeys } from '../../../../log/hash-keys.js'
import type { EncodedEvents } from '../../../../log/record.js'
import type { DecodeResult } from '../../decode.js'
import { encodeWithParser } from '../../encode-body.js'
import { createFastDecoder, type FastDecoder } from '../../fast-path/decoder.js'

const WORKSPACE = '0190a000-0000-7000-8000-00000000abcd'
const SENDER = {
  workspaceId: WORKSPACE,
  keyId: '0190a000-0000-7000-8000-0000000012ef',
  receivedAt: Date.parse('2026-03-01T12:00:01.234Z'),
}
const KEYS = workspaceHashKeys(new Uint8Array(32).fill(9), WORKSPACE)

export interface BothWays {
  readonly passed: ReturnType<FastDecoder>
  /** The parser's result; undefined if it was not run, because the fast path gave up. */
  readonly plain: DecodeResult<EncodedEvents> | undefined
}

/** Runs the fast path and the parser on a body. Throws if they differ. */
export function bothWays(partitions: number): (body: Buffer, always?: boolean) => BothWays {
  const pass = createFastDecoder({ partitions })
  return (body, always = false) => {
    const before = Buffer.from(body)
    const passed = pass(body, SENDER, KEYS)
    if (passed === undefined && !always) return { passed, plain: undefined }
    const plain = encodeWithParser(body, SENDER, KEYS, { partitions })
    if (!before.equals(body)) throw new Error(`the body was changed: ${show(body)}`)
    if (passed !== undefined) {
      if (!plain.ok) throw new Error(`passed, and refused for ${plain.refusal.message}: ${show(body)}`)
      compare(passed, plain.value, body)
      passed.release?.()
    }
    return { passed, plain }
  }
}

function compare(passed: EncodedEvents, plain: EncodedEvents, body: Buffer): void {
  const facts = ({ head, count, pairs, records }: EncodedEvents) => ({
    sentAt: head.sentAt,
    count,
    pairs,
    records: records.map(({ partition, events, payload }) => [partition, events, Buffer.from(payload)]),
  })
  const [a, b] = [facts(passed), facts(plain)]
  if (!isDeepStrictEqual(a, b)) throw new Error(`other records: ${show(body)}`)
}

function show(body: Buffer): string {
  return `${body.length} bytes, ${JSON.stringify(body.toString('latin1').slice(0, 4_000))}`
}
