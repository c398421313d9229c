import t from 'tap'
import { CopyBufferPool } from '../copy-buffer-pool.js'

const MIB = 1024 * 1024
const filled = (bytes: number, value: number) => new Uint8Array(bytes).fill(value)

t.test('copies stay intact until their memory may be reused', async (t) => {
  const pages = new CopyBufferPool()
  const sizes = [1, 3 * MIB, 0, MIB, MIB - 1, 1, 2 * MIB, 17, 5 * MIB]
  for (let turn = 0; turn < 3; turn++) {
    const values = sizes.map((bytes, i) => filled(bytes, turn * 16 + i))
    const copies = values.map((value) => pages.copy(value))
    t.ok(
      copies.every((copy, i) => Buffer.compare(copy, values[i] ?? copy.subarray(1)) === 0),
      `turn ${turn}`,
    )
    if (turn === 1) pages.release()
    else pages.reuse()
  }
})

t.test('the buffer is allocated once', async (t) => {
  const pages = new CopyBufferPool()
  const first = pages.copy(filled(MIB, 1))
  pages.reuse()
  const second = pages.copy(filled(10, 2))
  t.equal(second.buffer, first.buffer)
  t.equal(first[0], 2, 'it was written over')
})
