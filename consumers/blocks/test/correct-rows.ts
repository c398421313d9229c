import fc from 'fast-check'
import t from 'tap'
import { correctTime } from '../../../domain/clamp.js'
import { TIMESTAMP_ADJUSTMENTS } from '../../../domain/event.js'
import { ROW, readInt64 } from '../../../domain/row.js'
import { event, NOON, request } from '../../test/support/events.js'
import { Block } from '../block.js'
import { correctRows } from '../correct-rows.js'
import { parseRecord } from '../parse-record.js'
import { readRows } from '../read-rows.js'

t.test(
  'every row gets the time of the rule, its mark and its place in the log, and nothing else changes',
  async () => {
    const around = (days: number) =>
      fc.integer({ min: NOON - days * 86_400_000, max: NOON + days * 86_400_000 })
    fc.assert(
      fc.property(
        fc.option(around(3), { nil: undefined }),
        fc.array(
          fc.option(fc.oneof(around(9), fc.constantFrom(-62_167_219_200_000, 253_402_300_799_999, 0, -1)), {
            nil: undefined,
          }),
          { minLength: 1 },
        ),
        fc.constantFrom(0, 1, 2 ** 31, 2 ** 32, 2 ** 45 + 12_345),
        (sentAt, timestamps, offset) => {
          const sent = timestamps.map((timestamp) => event({ timestamp, insertId: 'x' }))
          const payload = request(sent, { sentAt })[0]?.payload ?? new Uint8Array()
          const before = payload.slice()
          const block = new Block(0, 2 ** 53, [parseRecord({ offset, payload })])
          for (const record of block.records) {
            readRows(block, record)
            correctRows(block, record)
            correctRows(block, record)
          }
          return timestamps.every((timestamp, row) => {
            const start = block.starts[row] ?? 0
            const expected = correctTime(timestamp, NOON, sentAt)
            const bytes = payload.subarray(start, block.ends[row])
            const rest = before.slice(start, block.ends[row])
            for (const [at, length] of [
              [ROW.timestamp, 8],
              [ROW.adjustment, 1],
              [ROW.logOffset, 8],
            ] as const)
              rest.set(bytes.subarray(at, at + length), at)
            return (
              readInt64(bytes, ROW.timestamp) === expected.timestamp &&
              TIMESTAMP_ADJUSTMENTS[bytes[ROW.adjustment] ?? 9] === expected.adjustment &&
              readInt64(bytes, ROW.logOffset) === offset &&
              readInt64(bytes, ROW.originalTimestamp) === (timestamp ?? 0) &&
              Buffer.compare(bytes, rest) === 0
            )
          })
        },
      ),
    )
  },
)
