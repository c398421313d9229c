import fc from 'fast-check'
import t from 'tap'
import { cutIntoBlocks } from '../block.js'

t.test(
  'blocks keep within their bounds, hold whole records in order, and are as few as that allows',
  async (t) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 50 }))),
        (sizes) => {
          const records = sizes.map(([rows, bytes], offset) => ({
            offset,
            rows,
            payload: new Uint8Array(bytes),
          }))
          const rowsOf = (record: { offset: number }) => records[record.offset]?.rows ?? 0
          const blocks = cutIntoBlocks(records, { rows: 30, bytes: 60 }, rowsOf)
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
              const within = block.length === 1 || (rows <= 30 && bytes <= 60)
              const full = next === undefined || rows + rowsOf(next) > 30 || bytes + next.payload.length > 60
              return block.length > 0 && within && full
            })
          )
        },
      ),
    )
    t.pass()
  },
)
