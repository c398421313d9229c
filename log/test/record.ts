import fc from 'fast-check'
import t from 'tap'
import type { AcceptedBatch, AcceptedEvent } from '../../domain/event.js'
import { makesLink } from '../../domain/person.js'
import { ROW, ROW_COLUMNS, readInt64, readUint32 } from '../../domain/row.js'
import { sipHash128Words, sipKey } from '../../domain/siphash.js'
import { openEngine } from '../../domain/test/support/chdb.js'
import { uuidFromRowBytes } from '../../domain/uuid.js'
import { cases } from '../../test/support/cases.js'
import {
  encodeRecords,
  type IdentityPair,
  identityPairOf,
  parseEventRecord,
  RecordFormatError,
  readHeader,
  readPairs,
} from '../record.js'

const KEYS = {
  insertId: sipKey(Uint8Array.from({ length: 16 }, (_, i) => i)),
  person: sipKey(Uint8Array.from({ length: 16 }, (_, i) => 255 - i)),
}
const LOG = { partitions: 5, identityPartitions: 3 }
const never = (): boolean => false

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ minLength: 1, maxLength: Math.min(12, maxLength) }),
    // Any code point; length counts UTF-16 units, so at most half as many.
    fc.string({ minLength: 1, maxLength: Math.floor(maxLength / 2), unit: 'binary', size: 'max' }),
    fc.constantFrom(
      'é',
      '漢',
      '😀',
      '\u007f',
      '\u0080',
      '\u07ff',
      '\u0800',
      '\uffff',
      'a'.repeat(maxLength),
      '漢'.repeat(maxLength),
    ),
    fc.integer({ min: 60, max: Math.min(130, maxLength) }).map((n) => 'x'.repeat(n)),
    fc.integer({ min: 40, max: Math.min(130, maxLength) }).map((n) => 'ü'.repeat(n)),
  )
const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
const anEvent: fc.Arbitrary<AcceptedEvent> = fc
  .record({
    event: fc.oneof(
      fc.constantFrom('sign_up', '$exposure'),
      fc.string({ minLength: 1, maxLength: 500, size: 'max' }),
    ),
    userId: fc.option(text(255), { nil: undefined }),
    anonymousId: fc.option(text(255), { nil: undefined }),
    properties: fc.oneof(
      fc.constant('{}'),
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).map((o) => JSON.stringify(o)),
      fc.integer({ min: 100, max: 8_000 }).map((n) => JSON.stringify({ text: 'p'.repeat(n) })),
      fc.constantFrom(120, 121, 122, 123, 8_181, 8_182).map((n) => JSON.stringify({ t: 'q'.repeat(n) })),
    ),
    timestamp: fc.option(time, { nil: undefined }),
    insertId: fc.option(text(200), { nil: undefined }),
    sdkVersion: fc.option(text(200), { nil: undefined }),
  })
  .filter((e) => e.userId !== undefined || e.anonymousId !== undefined)
const aBatch: fc.Arbitrary<AcceptedBatch> = fc.record({
  workspaceId: fc.uuid(),
  keyId: fc.uuid(),
  receivedAt: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) }),
  sentAt: fc.option(time, { nil: undefined }),
  events: fc.array(anEvent, { minLength: 1, maxLength: 30 }),
})

interface Row {
  readonly index: number
  readonly workspaceId: string
  readonly receivedAt: number
  readonly timestamp: number
  readonly original: number | undefined
  readonly adjustment: number
  readonly logOffset: number
  readonly insertHash: string
  readonly personKey: string
  readonly strings: readonly string[]
}

/** Reads a row the slow way, and checks that its strings fill it. */
function parseRow(payload: Uint8Array, start: number, end: number): Row {
  const row = Buffer.from(payload.subarray(start, end))
  const strings: string[] = []
  let at: number = ROW.fixedBytes
  for (let i = 0; i < 6; i++) {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = row.readUInt8(at++)
      length |= (byte & 127) << shift
      if (byte < 128) break
    }
    strings.push(row.toString('utf8', at, at + length))
    at += length
  }
  if (at !== row.length) throw new Error(`strings end at ${at} of ${row.length}`)
  return {
    index: row.readUInt16LE(ROW.requestIndex),
    workspaceId: uuidFromRowBytes(row, ROW.workspaceId),
    receivedAt: readInt64(row, ROW.receivedAt),
    timestamp: readInt64(row, ROW.timestamp),
    original: row[ROW.hasTimestamp] === 1 ? readInt64(row, ROW.originalTimestamp) : undefined,
    adjustment: row.readUInt8(ROW.adjustment),
    logOffset: readInt64(row, ROW.logOffset),
    insertHash: row.toString('hex', ROW.insertHash, ROW.personKey),
    personKey: row.toString('hex', ROW.personKey, ROW.fixedBytes),
    strings,
  }
}

function rowsOf(payload: Uint8Array): Row[] {
  const rows: Row[] = []
  parseEventRecord(payload).forEachRow((start, end) => rows.push(parseRow(payload, start, end)))
  return rows
}

function hashOf(key: typeof KEYS.person, bytes: Buffer): Buffer {
  const words = new Int32Array((bytes.length >>> 2) + 3)
  Buffer.from(words.buffer).set(bytes)
  const out = new Int32Array(4)
  sipHash128Words(key, words, bytes.length, out, 0)
  return Buffer.from(out.buffer)
}

function personHash(event: AcceptedEvent): Buffer {
  return event.userId === undefined
    ? hashOf(KEYS.person, Buffer.from(`a${event.anonymousId}`))
    : hashOf(KEYS.person, Buffer.from(`u${event.userId}`))
}

t.test('every event is one row of one record, with all its fields', async () => {
  fc.assert(
    fc.property(aBatch, fc.integer({ min: 1, max: 7 }), (batch, partitions) => {
      const { records } = encodeRecords(batch, KEYS, { ...LOG, partitions }, never)
      const seen = new Map<number, { row: Row; partition: number }>()
      for (const { partition, payload } of records.filter((r) => r.partition < partitions)) {
        const header = readHeader(payload)
        const rows = rowsOf(payload)
        const { workspaceId, keyId, receivedAt, sentAt } = header
        const seenHeader = [workspaceId, keyId, receivedAt, sentAt, header.count]
        const expected = [batch.workspaceId, batch.keyId, batch.receivedAt, batch.sentAt, rows.length]
        if (JSON.stringify(seenHeader) !== JSON.stringify(expected))
          throw new Error(JSON.stringify(seenHeader))
        for (const [i, row] of rows.entries()) {
          if (i > 0 && row.index <= (rows[i - 1]?.index ?? -1)) throw new Error('not in request order')
          if (seen.has(row.index)) throw new Error('twice')
          seen.set(row.index, { row, partition })
        }
      }
      if (seen.size !== batch.events.length) throw new Error('events are missing')
      const homes = new Set<number>()
      for (const [index, event] of batch.events.entries()) {
        const found = seen.get(index)
        const insertHash =
          event.insertId === undefined ? Buffer.alloc(16) : hashOf(KEYS.insertId, Buffer.from(event.insertId))
        if (event.insertId === undefined) homes.add(found?.partition ?? -1)
        else if (found?.partition !== insertHash.readUInt32LE(0) % partitions)
          throw new Error('wrong partition')
        const expected: Row = {
          index,
          workspaceId: batch.workspaceId,
          receivedAt: batch.receivedAt,
          timestamp: event.timestamp ?? batch.receivedAt,
          original: event.timestamp,
          adjustment: 0,
          logOffset: 0,
          insertHash: insertHash.toString('hex'),
          personKey: personHash(event).toString('hex', 0, 8),
          strings: [
            event.event,
            event.userId ?? '',
            event.anonymousId ?? '',
            event.insertId ?? '',
            event.sdkVersion ?? '',
            event.properties,
          ],
        }
        if (JSON.stringify(found?.row) !== JSON.stringify(expected))
          throw new Error(`${JSON.stringify(found?.row)} is not ${JSON.stringify(expected)}`)
      }
      return homes.size <= 1
    }),
    { numRuns: cases(300) },
  )
})

t.test('a full request of 500 events of 8 KB can be encoded', async (t) => {
  const events = Array.from({ length: 500 }, (_, i) => ({
    ...plain(`user-${i}`),
    insertId: `id-${i}`,
    properties: JSON.stringify({ t: '漢'.repeat(2_700) }),
  }))
  const { records } = encodeRecords(batchOf(events), KEYS, LOG, never)
  const rows = records.flatMap((r) => rowsOf(r.payload))
  t.same(
    rows.map((row) => row.index).sort((a, b) => a - b),
    events.map((_, i) => i),
  )
  t.ok(rows.every((row) => row.strings[5] === events[0]?.properties))
})

t.test('records of one request do not share memory with the next', async (t) => {
  const first = encodeRecords(batchOf([plain('one')]), KEYS, LOG, never).records
  const before = first.map((r) => Buffer.from(r.payload).toString('hex'))
  encodeRecords(batchOf([plain('two'), plain('three')]), KEYS, LOG, never)
  t.same(
    first.map((r) => Buffer.from(r.payload).toString('hex')),
    before,
  )
})

t.test('events with equal insertIds are in one partition, whatever else differs', async () => {
  fc.assert(
    fc.property(aBatch, aBatch, text(200), (one, other, insertId) => {
      const find = (batch: AcceptedBatch): string[] => {
        const events = batch.events.map((e) => ({ ...e, insertId }))
        return encodeRecords({ ...batch, events }, KEYS, LOG, never)
          .records.filter((r) => r.partition < LOG.partitions)
          .map((r) => `${r.partition} ${rowsOf(r.payload)[0]?.insertHash}`)
      }
      return find(one).length === 1 && find(one)[0] === find(other)[0]
    }),
    { numRuns: cases(50) },
  )
})

t.test('the first link of an anonymous id wins, and known links are left out', async (t) => {
  const pair = (anonymousId: string, userId: string): AcceptedEvent => ({ ...plain(userId), anonymousId })
  const batch = batchOf([
    pair('a', 'u1'),
    plain('u9'),
    pair('b', 'u2'),
    pair('a', 'u3'),
    { ...plain('x'), userId: undefined, anonymousId: 'c' },
    pair('known', 'u4'),
    pair('b', 'u2'),
    pair('d', 'u1'),
  ])
  const log = { partitions: 2, identityPartitions: 1 }
  const known = keyOf('known')
  const { records, linkedKeys } = encodeRecords(batch, KEYS, log, (key) => key === known)
  const identity = records.filter((r) => r.partition >= log.partitions)
  t.equal(identity.length, 1)
  const { header, pairs } = readPairs(identity[0]?.payload ?? new Uint8Array())
  t.same(
    pairs.map((p) => [p.anonymousId, p.userId]),
    [
      ['a', 'u1'],
      ['b', 'u2'],
      ['d', 'u1'],
    ],
  )
  t.same(
    linkedKeys,
    pairs.map((p) => p.anonymousKey),
  )
  t.equal(header.count, 3)
  t.equal(header.workspaceId, batch.workspaceId)
  t.equal(header.receivedAt, batch.receivedAt)
})

t.test('links are in the partition of their anonymous id, with the person keys of the rows', async () => {
  fc.assert(
    fc.property(aBatch, (batch) => {
      const { records, linkedKeys } = encodeRecords(batch, KEYS, LOG, never)
      const expected = new Map<string, string>()
      for (const { anonymousId, userId } of batch.events) {
        if (anonymousId === undefined || userId === undefined || expected.has(anonymousId)) continue
        if (makesLink(anonymousId, userId)) expected.set(anonymousId, userId)
      }
      const pairs: IdentityPair[] = []
      for (const { partition, payload } of records) {
        if (partition < LOG.partitions) continue
        for (const pair of readPairs(payload).pairs) {
          pairs.push(pair)
          const alone = identityPairOf(pair.anonymousId, pair.userId, KEYS, LOG)
          if (alone.partition !== partition) return false
          const same = (['anonymousKey', 'userKey', 'anonymousId', 'userId'] as const).every(
            (field) => alone.pair[field] === pair[field],
          )
          if (!same || pair.userKey !== hashOf(KEYS.person, Buffer.from(`u${pair.userId}`)).readBigInt64LE(0))
            return false
        }
      }
      return (
        pairs.length === expected.size &&
        linkedKeys.length === expected.size &&
        pairs.every((pair) => expected.get(pair.anonymousId) === pair.userId)
      )
    }),
    { numRuns: cases(200) },
  )
})

t.test('damaged records are refused whole', async (t) => {
  const events = [plain('u1'), { ...plain('u2'), anonymousId: 'a漢' }, { ...plain('u3'), anonymousId: 'b' }]
  const { records } = encodeRecords(batchOf(events), KEYS, { partitions: 1, identityPartitions: 1 }, never)
  const [rows, pairs] = records.map((r) => Buffer.from(r.payload))
  if (rows === undefined || pairs === undefined) throw new Error('two records expected')
  const readRows = (payload: Buffer): number => {
    let called = 0
    try {
      parseEventRecord(payload).forEachRow(() => called++)
    } catch (error) {
      t.equal(called, 0, 'nothing was given out')
      throw error
    }
    return called
  }
  t.equal(readRows(rows), 3)
  t.equal(readPairs(pairs).pairs.length, 2)
  const isRefused = (read: () => unknown): boolean => {
    try {
      read()
      return false
    } catch (error) {
      return error instanceof RecordFormatError
    }
  }
  const taken: string[] = []
  for (let length = 0; length < rows.length; length++)
    if (!isRefused(() => readRows(rows.subarray(0, length)))) taken.push(`${length} bytes of rows`)
  for (let length = 0; length < pairs.length; length++)
    if (!isRefused(() => readPairs(pairs.subarray(0, length)))) taken.push(`${length} bytes of pairs`)
  t.same(taken, [])
  const longer = (payload: Buffer): Buffer => Buffer.concat([payload, Buffer.from([0])])
  t.throws(() => readRows(longer(rows)), RecordFormatError)
  t.throws(() => readPairs(longer(pairs)), RecordFormatError)
  const changed = (payload: Buffer, at: number, value: number): Buffer => {
    const copy = Buffer.from(payload)
    copy[at] = value
    return copy
  }
  for (const format of [0, 3, 255]) t.throws(() => readRows(changed(rows, 0, format)), RecordFormatError)
  t.throws(() => readRows(pairs), RecordFormatError, 'pairs are no rows')
  t.throws(() => readPairs(rows), RecordFormatError, 'rows are no pairs')
  for (const count of [0, 2, 4, 255]) t.throws(() => readRows(changed(rows, 2, count)), RecordFormatError)
  for (const count of [0, 1, 3, 255]) t.throws(() => readPairs(changed(pairs, 2, count)), RecordFormatError)
  const firstLength = rows.length - 3 * 4
  t.throws(
    () => readRows(changed(rows, firstLength, (rows[firstLength] ?? 0) + 1)),
    RecordFormatError,
    'a longer first row',
  )
})

t.test('ClickHouse reads the rows as their columns', async (t) => {
  const engine = openEngine()
  t.teardown(() => engine.close())
  const batches = fc.sample(aBatch, 30).map((batch) => ({
    ...batch,
    // DateTime64 of the table. The consumer clamps times outside of it before it stores them.
    events: batch.events.map((e) => ({
      ...e,
      timestamp: e.timestamp === undefined ? undefined : batch.receivedAt - 5,
    })),
  }))
  const chunks: Uint8Array[] = []
  const expected: unknown[][] = []
  for (const batch of batches)
    for (const { payload } of encodeRecords(
      batch,
      KEYS,
      { partitions: 1, identityPartitions: 1 },
      never,
    ).records.slice(0, 1))
      parseEventRecord(payload).forEachRow((start, end, i) => {
        chunks.push(payload.subarray(start, end))
        const event = batch.events[i]
        if (event === undefined) throw new Error('a row too many')
        const insertHash = hashOf(KEYS.insertId, Buffer.from(event.insertId ?? ''))
        expected.push([
          batch.workspaceId,
          String(batch.receivedAt),
          String(event.timestamp ?? batch.receivedAt),
          String(event.timestamp ?? 0),
          event.timestamp === undefined ? 0 : 1,
          0,
          i,
          '0',
          event.insertId === undefined
            ? '0'
            : String((insertHash.readBigUInt64LE(8) << 64n) | insertHash.readBigUInt64LE(0)),
          String(personHash(event).readBigUInt64LE(0)),
          ...[
            event.event,
            event.userId,
            event.anonymousId,
            event.insertId,
            event.sdkVersion,
            event.properties,
          ].map((value) => Buffer.from(value ?? '').toString('hex')),
        ])
      })
  const columns = ROW_COLUMNS.map(([name, type]) => {
    if (type === 'String') return `lower(hex(${name}))`
    if (type.startsWith('DateTime64')) return `toString(toUnixTimestamp64Milli(${name}))`
    return ['UInt8', 'UInt16'].includes(type) ? name : `toString(${name})`
  })
  const structure = ROW_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')
  const stored = engine.readRowBinary(Buffer.concat(chunks), structure, columns.join(', '))
  t.equal(stored.length, expected.length)
  t.same(stored, expected)
  t.ok(chunks.every((chunk) => readUint32(chunk, ROW.logOffset) === 0))
})

function plain(userId: string): AcceptedEvent {
  return {
    event: 'e',
    userId,
    anonymousId: undefined,
    properties: '{}',
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
  }
}

function batchOf(events: readonly AcceptedEvent[]): AcceptedBatch {
  return {
    workspaceId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4051',
    keyId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4052',
    receivedAt: Date.UTC(2026, 10, 21),
    sentAt: undefined,
    events,
  }
}

function keyOf(anonymousId: string): bigint {
  return identityPairOf(anonymousId, '', KEYS, LOG).pair.anonymousKey
}
