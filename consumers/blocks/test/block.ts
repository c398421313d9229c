import fc from 'fast-check'
import t from 'tap'
import { ROW } from '../../../domain/row.js'
import { uuidToRowBytes } from '../../../domain/uuid.js'
import { EventRecord } from '../../../log/record.js'
import { event, KEY, NOON, request, WORKSPACE } from '../../test/support/events.js'
import { cutIntoBlocks, OUTCOME } from '../block.js'
import { type ParsedRecord, parseRecord } from '../parse-record.js'
import { readBlock } from '../read-rows.js'

const LIMITS = { rows: 30, bytes: 200 }
const HEADER_BYTES = 56

/** A record that says it has so many rows, which it does not hold. */
function recordOf(offset: number, rows: number, bytes: number): ParsedRecord {
  const payload = new Uint8Array(HEADER_BYTES + bytes)
  payload[2] = rows
  const view = new DataView(payload.buffer)
  return {
    offset,
    payload,
    view,
    events: new EventRecord(payload),
    problem: '',
    month: 202601,
    firstRow: 0,
    endRow: 0,
    hasOneWorkspace: true,
  }
}

t.test(
  'blocks keep within their bounds, hold whole records in order, and are as few as that allows',
  async () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 50 }))),
        (sizes) => {
          const records = sizes.map(([rows, bytes], offset) => recordOf(offset, rows, bytes))
          const rowsOf = ({ events }: ParsedRecord) => events?.count ?? 0
          const blocks = cutIntoBlocks(records, LIMITS)
          const sizeOf = (block: (typeof blocks)[number]) => ({
            rows: block.reduce((sum, record) => sum + rowsOf(record), 0),
            bytes: block.reduce((sum, record) => sum + record.payload.length, 0),
          })
          return (
            blocks.flat().every((record, i) => record === records[i]) &&
            blocks.flat().length === records.length &&
            blocks.every((block, i) => {
              const { rows, bytes } = sizeOf(block)
              const next = blocks[i + 1]?.[0]
              const within = block.length === 1 || (rows <= LIMITS.rows && bytes <= LIMITS.bytes)
              const full =
                next === undefined ||
                rows + rowsOf(next) > LIMITS.rows ||
                bytes + next.payload.length > LIMITS.bytes
              return block.length > 0 && within && full
            })
          )
        },
      ),
    )
  },
)

t.test('the workspaces of a block come from its inserted rows, not from its records', async (t) => {
  const [other, third, fourth] = [2, 3, 4].map((n) => `0190c8f1-0000-7000-8000-00000000000${n}`) as [
    string,
    string,
    string,
  ]
  const records = [WORKSPACE, other, WORKSPACE, third].flatMap((workspaceId, offset) =>
    request([event(), event(), event()], { workspaceId }).map(({ payload }) => ({ offset, payload })),
  )
  const read = () => readBlock(records.map(parseRecord), 0, 4)
  const block = read()
  t.same(block.chunks().workspaceIds, [WORKSPACE, other, third])
  for (let row = 9; row < 12; row++) block.outcomes[row] = OUTCOME.duplicate
  t.same(block.chunks().workspaceIds, [WORKSPACE, other], 'none of what is not inserted')
  for (const [row, id] of [
    [1, fourth],
    [8, third],
  ] as const)
    uuidToRowBytes(
      id,
      block.records[row < 3 ? 0 : 2]?.payload ?? new Uint8Array(),
      (block.starts[row] ?? 0) + ROW.workspaceId,
    )
  t.same(read().chunks().workspaceIds, [WORKSPACE, fourth, other, third], 'whatever their record says')
})

t.test('events count by key and hour, to the millisecond', async () => {
  const sender = fc.constantFrom(KEY, `${KEY.slice(0, -2)}ab`, `f${KEY.slice(1)}`)
  const workspace = fc.constantFrom(WORKSPACE, `${WORKSPACE.slice(0, -1)}2`)
  // The border of an hour, and of a month.
  const border = fc.constantFrom(NOON, Date.UTC(2026, 11, 1))
  const sent = fc.record({
    keyId: sender,
    workspaceId: workspace,
    receivedAt: fc.tuple(border, fc.constantFrom(-3_600_000, -1, 0, 1, 3_599_999)).map(([at, by]) => at + by),
    outcomes: fc.array(fc.constantFrom(...Object.values(OUTCOME)), { minLength: 1, maxLength: 4 }),
  })
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 20 }), (requests) => {
      const payloads = requests.flatMap(({ outcomes, ...head }) =>
        request(
          outcomes.map(() => event()),
          head,
        ).flatMap(({ partition, payload }) => (partition === 0 ? [payload] : [])),
      )
      const block = readBlock(
        payloads.map((payload, offset) => parseRecord({ offset, payload })),
        0,
        payloads.length,
      )
      block.outcomes.set(requests.flatMap(({ outcomes }) => outcomes))
      const wanted = new Map<string, number>()
      const add = (name: string) => wanted.set(name, (wanted.get(name) ?? 0) + 1)
      const names = ['stored', 'duplicates', 'dead', 'stored'] as const
      for (const { workspaceId, keyId, receivedAt, outcomes } of requests)
        for (const outcome of outcomes) {
          const hour = new Date(receivedAt).toISOString().slice(0, 13)
          add(`${workspaceId} ${keyId} ${hour} ${names[outcome]}`)
          add(`${workspaceId} ${keyId} ${hour} accepted`)
        }
      const { byKey, ...counts } = block.counts()
      const found = byKey.flatMap(({ workspaceId, keyId, hour, ...figures }) =>
        Object.entries(figures).map(
          ([name, events]) =>
            [`${workspaceId} ${keyId} ${new Date(hour).toISOString().slice(0, 13)} ${name}`, events] as const,
        ),
      )
      const all = requests.flatMap(({ outcomes }) => outcomes.map((outcome) => names[outcome]))
      return (
        found.filter(([, events]) => events > 0).every(([name, events]) => wanted.get(name) === events) &&
        new Set(found.map(([name]) => name)).size === found.length &&
        found.filter(([, events]) => events > 0).length === wanted.size &&
        Object.entries(counts).every(
          ([name, events]) => all.filter((outcome) => outcome === name).length === events,
        )
      )
    }),
  )
})
