import fc from 'fast-check'
import t from 'tap'
import { ROW } from '../../../domain/row.js'
import { uuidToRowBytes } from '../../../domain/uuid.js'
import { EventRecord } from '../../../log/record.js'
import { event, request, WORKSPACE } from '../../test/support/events.js'
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
  const block = readBlock(records.map(parseRecord), 0, 4)
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
  t.same(block.chunks().workspaceIds, [WORKSPACE, fourth, other, third], 'whatever their record says')
})
