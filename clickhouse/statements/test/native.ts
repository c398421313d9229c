import t from 'tap'
import { nativeBlocks } from '../native.js'

const text = (value: string) => [value.length, ...Buffer.from(value)]
const block = (rows: number, ...columns: readonly (readonly [type: string, values: readonly number[]])[]) => [
  columns.length,
  rows,
  ...columns.flatMap(([type, values]) => [...text('name'), ...text(type), ...values]),
]
const read = (bytes: readonly number[]) =>
  [...nativeBlocks(Uint8Array.from(bytes))].map(({ rows, columns }) => [
    rows,
    ...columns.map((one) => [...new Uint32Array(one.slice().buffer)]),
  ])

t.test('consecutive blocks with columns of both widths are read', async (t) => {
  const two = block(
    2,
    ['UInt64', [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]],
    ['UInt32', [5, 1, 0, 0, 6, 0, 0, 255]],
  )
  const none = block(0, ['UInt64', []], ['UInt32', []])
  const one = block(1, ["DateTime64(3, 'UTC')", [0, 0, 0, 1, 255, 255, 255, 255]])
  t.same(read([...two, ...none, ...one]), [
    [2, [1, 2, 3, 4], [261, 6 + 255 * 2 ** 24]],
    [0, [], []],
    [1, [2 ** 24, 2 ** 32 - 1]],
  ])
  t.same(read([]), [], 'no rows, no bytes')
})

t.test('blocks of more than 127 rows are read', async (t) => {
  const bytes = [1, 0x80 | (300 & 127), 300 >> 7, ...text('name'), ...text('UInt32'), ...Array(1_200).fill(7)]
  t.same(read(bytes), [[300, Array(300).fill(0x07070707)]])
})

t.test('truncated data, or data of another type, is refused', async (t) => {
  const whole = block(1, ['UInt64', [1, 2, 3, 4, 5, 6, 7, 8]])
  for (let length = 1; length < whole.length; length++)
    t.throws(() => read(whole.slice(0, length)), RangeError, `${length} bytes of ${whole.length}`)
  t.throws(() => read(block(1, ['String', [0]])), { message: /type String/ })
})
