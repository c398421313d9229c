import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import { ROW, ROW_COLUMNS, readInt64, readUint32, writeInt64 } from '../row.js'

const anyInteger = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(
    0,
    -1,
    1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32,
    -(2 ** 32),
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    2 ** 32 - 1,
  ),
)

t.test('64-bit integers are written as two’s complement, little-endian', async () => {
  fc.assert(
    fc.property(anyInteger, fc.nat(9), (value, at) => {
      const bytes = Buffer.alloc(20, 0x5a)
      writeInt64(bytes, at, value)
      return (
        bytes.readBigInt64LE(at) === BigInt(value) &&
        readInt64(bytes, at) === value &&
        bytes.every((b, i) => b === 0x5a || (i >= at && i < at + 8))
      )
    }),
    { numRuns: cases(2_000) },
  )
})

t.test('32-bit integers are written without sign', async () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.nat(5), (value, at) => {
      const bytes = Buffer.alloc(10, 0xff)
      bytes.writeUInt32LE(value, at)
      return readUint32(bytes, at) === value
    }),
  )
})

t.test('the fixed offsets in a row match the columns', async (t) => {
  const widths: Record<string, number> = {
    UUID: 16,
    "DateTime64(3, 'UTC')": 8,
    Int64: 8,
    UInt8: 1,
    UInt16: 2,
    UInt64: 8,
    UInt128: 16,
  }
  const places: number[] = []
  let at = 0
  let texts = 0
  for (const [, type] of ROW_COLUMNS) {
    if (type === 'String') texts++
    else {
      places.push(at)
      at += widths[type] ?? Number.NaN
    }
  }
  const { fixedBytes, strings, ...fields } = ROW
  t.same(places, Object.values(fields))
  t.equal(at, fixedBytes)
  t.equal(texts, strings)
})
