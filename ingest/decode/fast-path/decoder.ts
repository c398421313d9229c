import { isUtf8 } from 'node:buffer'
import { EVENT_LIMITS, type Sender } from '../../../domain/event.js'
import type { SipKey } from '../../../domain/siphash.js'
import type { LogRecord } from '../../../log/port.js'
import {
  type EncodedEvents,
  homePartition,
  restartEventHeader,
  sentAtOf,
  type WorkspaceHashKeys,
  writeEventHeader,
} from '../../../log/record.js'
import { recordMemory } from '../../../log/row-writer.js'
import { acquireBuffer, releaseBuffer } from '../../http/buffer-pool.js'
import { MAX_MEMBERS } from '../complexity-limit.js'
import { isEventsRequestShape } from '../validate.js'
import { FastPathEvents } from './events.js'
import * as at from './layout.js'
import { DecoderMemory } from './memory.js'

/** `release` may be called when the log has the records and nothing reads them any more. */
export interface EncodedRequest extends EncodedEvents {
  readonly release?: (() => void) | undefined
}

const MIN_POOLED_BYTES = 16_384

/**
 * Encodes a body of `POST /v1/events` without parsing it into objects. Undefined if the parser has to decide.
 * Keeps nothing of `body`; the next call leaves the result untouched.
 */
export type FastDecoder = (
  body: Buffer,
  sender: Sender,
  keys: WorkspaceHashKeys,
) => EncodedRequest | undefined

/** Loads the module. It serves one request at a time. */
export function createFastDecoder(log: { readonly partitions: number }): FastDecoder {
  if (
    log.partitions > at.MAX_RECORD_PARTITIONS ||
    EVENT_LIMITS.eventsPerRequest > at.MAX_EVENTS_THERE_IS_ROOM_FOR
  )
    throw new RangeError('the fast decoder has no room for so many partitions or events')
  if (at.MAX_DEPTH > EVENT_LIMITS.propertiesDepth)
    throw new RangeError('the fast decoder accepts deeper properties than the rules')
  const memory = new DecoderMemory()
  const { module } = memory
  module.prepare()
  memory.set(at.PARTITIONS, log.partitions)
  memory.set(at.MAX_EVENTS, EVENT_LIMITS.eventsPerRequest)
  memory.set(at.MAX_PROPERTIES_BYTES, EVENT_LIMITS.propertiesBytes)
  memory.set(at.MEMBER_LIMIT, MAX_MEMBERS)
  const events = new FastPathEvents(memory)
  const setSender = senderWriter(memory)
  const isRequestShape = requestShapeCheck(memory)

  return (body, sender, keys) => {
    memory.divide(body.length)
    const { bytes } = memory
    bytes.set(body, at.ARENA)
    bytes[at.ARENA + body.length] = 0
    setSender(sender, keys)
    const count = module.read()
    if (count === 0) return undefined
    // JSON's structure is ASCII, so invalid UTF-8 has to be looked for only if the body is not ASCII.
    if (memory.word(at.BODY_IS_ASCII) === 0 && !isUtf8(body)) return undefined
    if (!isRequestShape(count)) return undefined
    const found = events.check(count)
    if (found === undefined) return undefined
    const written = module.writeRecords(count, homePartition(sender.receivedAt, count, log.partitions))
    const { workspaceId, keyId, receivedAt } = sender
    const head = { workspaceId, keyId, receivedAt, sentAt: sentAtOf(bytes, at.HEADER) }
    const { records, release } = copyRecords(memory, written)
    return { head, count, ...found, records, release }
  }
}

/** Most requests have the sender of the one before. */
function senderWriter(memory: DecoderMemory): (sender: Sender, keys: WorkspaceHashKeys) => void {
  let keysThere: WorkspaceHashKeys | undefined
  let senderThere: Sender | undefined
  return (sender, keys) => {
    if (senderThere?.workspaceId !== sender.workspaceId || senderThere.keyId !== sender.keyId)
      writeEventHeader(memory.bytes, at.HEADER, sender)
    else restartEventHeader(memory.bytes, at.HEADER, sender.receivedAt)
    senderThere = sender
    if (keysThere === keys) return
    setKey(memory, at.INSERT_KEY, keys.insertId)
    setKey(memory, at.PERSON_KEY, keys.person)
    keysThere = keys
  }
}

function setKey(memory: DecoderMemory, address: number, key: SipKey): void {
  memory.set(address, key.k0lo)
  memory.set(address + 4, key.k0hi)
  memory.set(address + 8, key.k1lo)
  memory.set(address + 12, key.k1hi)
}

/** The schema looks at the number of events, not at them. */
function requestShapeCheck(memory: DecoderMemory): (count: number) => boolean {
  const list: unknown[] = []
  return (count) => {
    list.length = count
    const sentAt = memory.word(at.SENT_AT)
    return isEventsRequestShape(
      sentAt === 0
        ? { events: list }
        : { events: list, sentAt: memory.bytes.toString('utf8', sentAt, memory.word(at.SENT_AT_END)) },
    )
  }
}

function copyRecords(
  memory: DecoderMemory,
  found: number,
): { records: LogRecord[]; release: (() => void) | undefined } {
  const first = memory.word(at.RECORDS + at.RECORD_AT)
  const last = at.RECORDS + (found - 1) * at.RECORD_BYTES
  const length = memory.word(last + at.RECORD_AT) + memory.word(last + at.RECORD_LENGTH) - first
  const isLarge = length >= MIN_POOLED_BYTES
  const copy = isLarge ? acquireBuffer(length) : recordMemory(length)
  memory.bytes.copy(copy, 0, first, first + length)
  const records: LogRecord[] = []
  for (let i = 0; i < found; i++) {
    const record = at.RECORDS + i * at.RECORD_BYTES
    const from = memory.word(record + at.RECORD_AT) - first
    const end = from + memory.word(record + at.RECORD_LENGTH)
    records.push({
      partition: memory.word(record + at.RECORD_PARTITION),
      payload: from === 0 && end === copy.length ? copy : copy.subarray(from, end),
      events: memory.word(record + at.RECORD_ROWS),
    })
  }
  return { records, release: isLarge ? () => releaseBuffer(copy) : undefined }
}
