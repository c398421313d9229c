import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { EVENT_LIMITS, type Sender } from '../../domain/event.js'
import type { SipKey } from '../../domain/siphash.js'
import type { LogRecord } from '../../log/port.js'
import {
  type EncodedEvents,
  type FoundPair,
  homePartition,
  restartEventHeader,
  sentAtOf,
  type WorkspaceHashKeys,
  writeEventHeader,
} from '../../log/record.js'
import { recordMemory } from '../../log/row-writer.js'
import { giveBack, take } from '../buffers.js'
import { acceptProperties } from './canonical.js'
import * as at from './layout.js'
import { isEventShape, isEventsRequestShape } from './validate.js'
import { MOST_MEMBERS } from './weight.js'

/** Of the platform's WebAssembly, what is used here: the types of Node leave it to the browser's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Records of a request; `release` may be called once the log has them and nobody looks at them any longer. */
export interface EncodedRequest extends EncodedEvents {
  readonly release?: (() => void) | undefined
}

/** What the module exports; `assembly/pass.ts` says what each does. */
interface PassModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void }
  prepare(): void
  read(): number
  writeRecords(count: number, home: number): number
}

/** The short fields of an event as its schema knows them, written anew for each event. */
interface Fields {
  event: string | undefined
  userId: string | undefined
  anonymousId: string | undefined
  timestamp: string | undefined
  insertId: string | undefined
  sdkVersion: string | undefined
  /** What the schema has to know: that it is an object. */
  properties: object | undefined
}

const ANY_OBJECT = {}
const PAGE_BYTES = 65_536
/** From here on records get memory that is used again. */
const LARGE_BYTES = 16_384
/** A row has so many bytes at most beside the texts that are in it, and a record beside its rows. */
const MOST_BESIDE_TEXTS = 128
/** The texts of so many events become one string, of which each field is a slice: larger strings take V8 longer than copying them is worth. */
const EVENTS_TOGETHER = 100

/**
 * Encodes a body of `POST /v1/events`, UTF-8 JSON after decompression, without building it; undefined where the body holds anything that the pass leaves to the rules behind
 * it, be it good or bad. Keeps nothing of `body`, and what it returns is not touched by the next call.
 */
export type BodyPass = (body: Buffer, sender: Sender, keys: WorkspaceHashKeys) => EncodedRequest | undefined

/** Loads the module, which `scripts/build-pass.mjs` compiles. It serves one request at a time. */
export function createBodyPass(log: { readonly partitions: number }): BodyPass {
  if (log.partitions > at.MOST_PARTITIONS || EVENT_LIMITS.eventsPerRequest > at.MOST_EVENTS_THERE_IS_ROOM_FOR)
    throw new RangeError('the body pass has no room for so many partitions or events')
  let bytes = Buffer.alloc(0)
  let words = new Int32Array(0)
  const host = {
    canonicalNumber(from: number, end: number, to: number): number {
      const value = Number(bytes.toString('latin1', from, end))
      return Number.isFinite(value) ? bytes.write(JSON.stringify(value), to, 'latin1') : 0
    },
    canonicalObject(from: number, end: number, to: number): number {
      const text = acceptProperties(JSON.parse(bytes.toString('utf8', from, end)) as object)
      return typeof text === 'string' ? bytes.write(text, to) : 0
    },
  }
  const file = readFileSync(new URL('./pass.wasm', import.meta.url))
  const module = new WebAssembly.Instance(new WebAssembly.Module(file), { host }).exports as PassModule
  const look = (): void => {
    bytes = Buffer.from(module.memory.buffer)
    words = new Int32Array(module.memory.buffer)
  }
  look()
  const word = (address: number): number => words[address >>> 2] ?? 0
  const set = (address: number, value: number): void => {
    words[address >>> 2] = value
  }

  /** Divides the memory for a body of that length, and makes more of it where it is too small. */
  const divide = (length: number): void => {
    const size = (least: number): number => (least + at.PAD + 15) & ~15
    const scratch = at.ARENA + size(length)
    const texts = scratch + size(length + 2 * at.GROWTH)
    const rows = texts + size(length + EVENT_LIMITS.eventsPerRequest * 2)
    const rowsBytes = 2 * length + EVENT_LIMITS.eventsPerRequest * MOST_BESIDE_TEXTS
    const rowsEnd = rows + rowsBytes
    // Behind the rows their lengths, where they are one record.
    const records = rowsEnd + size(EVENT_LIMITS.eventsPerRequest * 4)
    const end = records + size(rowsBytes + EVENT_LIMITS.eventsPerRequest * MOST_BESIDE_TEXTS)
    const missing = end - bytes.length
    if (missing > 0) {
      module.memory.grow(Math.ceil(missing / PAGE_BYTES))
      look()
    }
    set(at.BODY_AT, at.ARENA)
    set(at.BODY_BYTES, length)
    set(at.SCRATCH_AT, scratch)
    set(at.TEXTS_AT, texts)
    set(at.ROWS_AT, rows)
    set(at.ROWS_END, rowsEnd)
    set(at.RECORDS_AT, records)
  }
  module.prepare()
  set(at.PARTITIONS, log.partitions)
  set(at.MOST_EVENTS, EVENT_LIMITS.eventsPerRequest)
  set(at.MOST_PROPERTIES_BYTES, EVENT_LIMITS.propertiesBytes)
  set(at.MOST_MEMBERS, MOST_MEMBERS)

  const setKey = (address: number, key: SipKey): void => {
    set(address, key.k0lo)
    set(address + 4, key.k0hi)
    set(address + 8, key.k1lo)
    set(address + 12, key.k1hi)
  }

  const fields: Fields = {
    event: undefined,
    userId: undefined,
    anonymousId: undefined,
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
    properties: undefined,
  }

  /** Shows each event to the schema and collects the pairs of ids; undefined where the schema refuses one. */
  const checkEvents = (count: number): FoundPair[] | undefined => {
    const isAscii = word(at.TEXTS_ARE_ASCII) === 1
    const pairs: FoundPair[] = []
    let seen: Set<bigint> | undefined
    let text = ''
    let firstUnit = 0
    const field = (place: number): string | undefined => {
      const begin = word(place)
      return begin < 0 ? undefined : text.slice(begin - firstUnit, begin - firstUnit + word(place + 4))
    }
    for (let index = 0; index < count; index++) {
      const entry = at.EVENTS + index * at.EVENT_BYTES
      if (index % EVENTS_TOGETHER === 0) {
        const next = index + EVENTS_TOGETHER
        const from = word(entry + at.FIRST_BYTE)
        const end = word(next < count ? at.EVENTS + next * at.EVENT_BYTES + at.FIRST_BYTE : at.TEXTS_END)
        text = isAscii ? bytes.toString('latin1', from, end) : bytes.toString('utf8', from, end)
        firstUnit = word(entry + at.FIRST_UNIT)
      }
      fields.event = field(entry + at.EVENT)
      fields.userId = field(entry + at.USER_ID)
      fields.anonymousId = field(entry + at.ANONYMOUS_ID)
      fields.timestamp = field(entry + at.TIMESTAMP)
      fields.insertId = field(entry + at.INSERT_ID)
      fields.sdkVersion = field(entry + at.SDK_VERSION)
      fields.properties = word(entry + at.HAS_PROPERTIES) === 1 ? ANY_OBJECT : undefined
      const shape: unknown = fields
      if (!isEventShape(shape)) return undefined
      const { userId, anonymousId } = fields
      if (userId === undefined || anonymousId === undefined) continue
      const anonymousKey = bytes.readBigInt64LE(entry + at.ANONYMOUS_HASH)
      if (seen?.has(anonymousKey)) continue
      seen ??= new Set()
      seen.add(anonymousKey)
      pairs.push({
        anonymousId,
        userId,
        anonymousKey,
        userKey: bytes.readBigInt64LE(entry + at.USER_KEY),
        partitionHash: bytes.readUInt32LE(entry + at.ANONYMOUS_HASH + 8),
      })
    }
    return pairs
  }

  /** The schema of the request looks at the number of its events, not at them. */
  const list: unknown[] = []

  const isRequestShape = (count: number): boolean => {
    list.length = count
    const sentAt = word(at.SENT_AT)
    return isEventsRequestShape(
      sentAt === 0
        ? { events: list }
        : { events: list, sentAt: bytes.toString('utf8', sentAt, word(at.SENT_AT_END)) },
    )
  }

  /** Whose keys and ids stand in the parameters: most requests come from the sender of the one before. */
  let keysThere: WorkspaceHashKeys | undefined
  let senderThere: Sender | undefined

  const setSender = (sender: Sender, keys: WorkspaceHashKeys): void => {
    if (senderThere?.workspaceId !== sender.workspaceId || senderThere.keyId !== sender.keyId)
      writeEventHeader(bytes, at.HEADER, sender)
    else restartEventHeader(bytes, at.HEADER, sender.receivedAt)
    senderThere = sender
    if (keysThere === keys) return
    setKey(at.INSERT_KEY, keys.insertId)
    setKey(at.PERSON_KEY, keys.person)
    keysThere = keys
  }

  /** Copies the records out of the module's memory, where they lie one after the other. */
  const takeRecords = (found: number): { records: LogRecord[]; release: (() => void) | undefined } => {
    const first = word(at.RECORDS + at.RECORD_AT)
    const last = at.RECORDS + (found - 1) * at.RECORD_BYTES
    const length = word(last + at.RECORD_AT) + word(last + at.RECORD_LENGTH) - first
    const isLarge = length >= LARGE_BYTES
    const memory = isLarge ? take(length) : recordMemory(length)
    bytes.copy(memory, 0, first, first + length)
    const records: LogRecord[] = []
    for (let i = 0; i < found; i++) {
      const record = at.RECORDS + i * at.RECORD_BYTES
      const from = word(record + at.RECORD_AT) - first
      const end = from + word(record + at.RECORD_LENGTH)
      records.push({
        partition: word(record + at.RECORD_PARTITION),
        payload: from === 0 && end === memory.length ? memory : memory.subarray(from, end),
        events: word(record + at.RECORD_ROWS),
      })
    }
    return { records, release: isLarge ? () => giveBack(memory) : undefined }
  }

  return (body, sender, keys) => {
    divide(body.length)
    bytes.set(body, at.ARENA)
    bytes[at.ARENA + body.length] = 0
    setSender(sender, keys)
    const count = module.read()
    if (count === 0) return undefined
    // Its quotes and brackets are where they seem to be, in whatever bytes: what is no UTF-8 is found out only where there is more than ASCII.
    if (word(at.BODY_IS_ASCII) === 0 && !isUtf8(body)) return undefined
    if (!isRequestShape(count)) return undefined
    const pairs = checkEvents(count)
    if (pairs === undefined) return undefined
    const found = module.writeRecords(count, homePartition(sender.receivedAt, count, log.partitions))
    const { workspaceId, keyId, receivedAt } = sender
    const head = { workspaceId, keyId, receivedAt, sentAt: sentAtOf(bytes, at.HEADER) }
    const { records, release } = takeRecords(found)
    return { head, count, pairs, records, release }
  }
}
