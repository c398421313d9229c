import t from 'tap'
import { ROW, writeInt64 } from '../../../domain/row.js'
import type { StoredRecord } from '../../../log/port.js'
import { parseEventRecord, readHeader } from '../../../log/record.js'
import { event, NOON, request, WORKSPACE } from '../../test/support/events.js'
import { type Block, OUTCOME } from '../block.js'
import { parseRecord } from '../parse-record.js'
import { readBlock } from '../read-rows.js'

const events = [
  event({ event: 'a', properties: JSON.stringify({ long: 'x'.repeat(3_000) }) }),
  event({ event: 'b', userId: 'ü'.repeat(200) }),
  event({ event: 'c', insertId: 'i' }),
]

type Change = (payload: Uint8Array) => Uint8Array | undefined

function record(offset: number, change: Change = () => undefined) {
  const payload = request(events)[0]?.payload ?? new Uint8Array()
  return { offset, payload: change(payload) ?? payload }
}

/** A change of one byte. */
function byte(at: number, change: (value: number) => number) {
  return (payload: Uint8Array): undefined => {
    payload[at] = change(payload[at] ?? 0)
  }
}

function read(records: readonly StoredRecord[], known?: ReadonlySet<string>): Block {
  return readBlock(records.map(parseRecord), 0, 100, known)
}

/** Offsets of the second and third row in a sound record. */
const [, second = 0, third = 0] = read([record(0)]).starts

t.test('sound records become rows', async (t) => {
  const block = read([record(1), record(2)])
  t.equal(block.rowCount, 6)
  t.match(block.counts(), { stored: 6, duplicates: 0, dead: 0 })
  const { chunks, rowCount } = block.chunks()
  t.equal(rowCount, 6)
  t.equal(chunks.length, 2, 'neighbours are one chunk')
  t.same(block.deadLetters, [])
})

t.test('a record that cannot be read is one dead letter, and the others are stored', async (t) => {
  const cases: Array<readonly [string, Change, RegExp, number]> = [
    ['empty', () => new Uint8Array(), /no header/, 1],
    ['of another format', byte(0, () => 9), /format 9/, 3],
    ['cut off', (p) => p.slice(0, -1), /rows end at/, 3],
    [
      'received in no year',
      (p) => {
        writeInt64(p, 8, 9e15)
        return p
      },
      /impossible time of receipt/,
      3,
    ],
    ['an identity record', byte(0, () => 2), /not an event record/, 3],
  ]
  for (const [what, change, reason, count] of cases) {
    const block = read([record(1), record(2, change), record(3)])
    t.match(block.counts(), { stored: 6, duplicates: 0, dead: count }, what)
    t.match(block.deadLetters, [{ offset: 2, rowIndex: -1, reason, events: count }], what)
  }
})

t.test('a damaged row in a sound record becomes a single dead letter with its own record', async (t) => {
  const cases: Array<readonly [string, Change, RegExp]> = [
    ['a string too long', byte(second + ROW.fixedBytes, () => 120), /strings do not fill/],
    ['a string too short', byte(second + ROW.fixedBytes, () => 0), /strings do not fill/],
    ['a length without end', (p) => p.fill(255, second + ROW.fixedBytes, third), /strings do not fill/],
    ['another receipt', byte(second + ROW.receivedAt, (value) => value ^ 1), /another time of receipt/],
    ['another receipt', byte(second + ROW.receivedAt + 5, (value) => value ^ 1), /another time of receipt/],
  ]
  for (const [what, damage, reason] of cases) {
    const block = read([record(7, damage)])
    t.same([...block.outcomes], [OUTCOME.ok, OUTCOME.dead, OUTCOME.ok], what)
    t.match(block.deadLetters, [{ offset: 7, rowIndex: 1, reason, events: 1, workspaceId: WORKSPACE }], what)
    t.equal(block.chunks().chunks.length, 2)
    const letter = block.deadLetters[0]?.payload ?? new Uint8Array()
    t.match(readHeader(letter), { count: 1, receivedAt: NOON, workspaceId: WORKSPACE })
    t.equal(parseEventRecord(letter).rowsAsRecords().length, 1)
  }
})

t.test('a row that was a dead letter in the intent is one again', async (t) => {
  const block = read([record(1), record(2)], new Set(['1:-1', '2:0']))
  t.match(block.counts(), { stored: 2, duplicates: 0, dead: 4 })
  t.match(block.deadLetters, [
    { offset: 1, rowIndex: -1, events: 3 },
    { offset: 2, rowIndex: 0, events: 1 },
  ])
})
