import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import {
  decodeGroup,
  decodeOffsets,
  encodeGroups,
  encodeOffsets,
  groupKey,
  readGroupKey,
} from '../group-format.js'

const partition = fc.integer({ min: 0, max: 0xfffe })
const offset = fc.oneof(fc.nat(1_000), fc.maxSafeNat(), fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1))
const count = fc.integer({ min: 1, max: 0xffffffff })

t.test('keys can be decoded, and sort by partition, then offset', async () => {
  fc.assert(
    fc.property(partition, offset, count, partition, offset, count, (p1, o1, c1, p2, o2, c2) => {
      const one = groupKey(p1, o1, c1)
      const other = groupKey(p2, o2, c2)
      const back = readGroupKey(one)
      const order = p1 !== p2 ? p1 - p2 : o1 !== o2 ? o1 - o2 : c1 - c2
      return (
        back.partition === p1 &&
        back.firstOffset === o1 &&
        back.count === c1 &&
        Math.sign(Buffer.compare(one, other)) === Math.sign(order)
      )
    }),
  )
})

t.test('payloads are decoded in order, and small ones share a value', async (t) => {
  const payloads = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.uint8Array({ maxLength: 60 }) },
      { weight: 1, arbitrary: fc.constantFrom(16_383, 16_384, 70_000).map((n) => new Uint8Array(n).fill(n)) },
    ),
    { maxLength: 60, size: 'max' },
  )
  fc.assert(
    fc.property(payloads, (list) => {
      const groups = encodeGroups(list)
      const back = groups.flatMap(({ count, value }) => {
        const decoded = decodeGroup({ partition: 0, firstOffset: 0, count }, value)
        if (decoded.length !== count) throw new Error('another count')
        return decoded
      })
      return (
        back.length === list.length && back.every((payload, i) => Buffer.from(list[i] ?? []).equals(payload))
      )
    }),
    { numRuns: cases(200) },
  )
  t.equal(encodeGroups(Array(1_000).fill(new Uint8Array(300))).length, 1)
  t.equal(encodeGroups(Array(100).fill(new Uint8Array(16_000))).length, 4, 'a value has a bound')
  t.same(encodeGroups([]), [])
})

t.test('a value whose lengths do not fill it is refused', async (t) => {
  const [group] = encodeGroups([Buffer.from('one'), Buffer.from('three'), Buffer.from('')])
  const value = Buffer.from(group?.value ?? [])
  const key = { partition: 1, firstOffset: 7, count: 3 }
  t.equal(decodeGroup(key, value).length, 3)
  for (let length = 0; length < value.length; length++)
    t.throws(() => decodeGroup(key, value.subarray(0, length)), { code: 'damaged' })
  t.throws(() => decodeGroup(key, Buffer.concat([value, Buffer.from('x')])), { code: 'damaged' })
  t.throws(() => decodeGroup({ ...key, count: 2 }, value), { code: 'damaged' })
  t.throws(() => decodeGroup({ ...key, count: 0xffffffff }, value), { code: 'damaged' })
  t.throws(() => readGroupKey(Buffer.from('short')), { code: 'damaged' })
  t.throws(() => readGroupKey(groupKey(1, 1, 0)), { code: 'damaged' })
})

t.test('offsets are encoded and decoded exactly', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat(), { maxLength: 20 }), (offsets) => {
      const back = decodeOffsets(encodeOffsets(offsets), offsets.length)
      return back.every((value, i) => value === offsets[i])
    }),
  )
  t.throws(() => decodeOffsets(new Uint8Array(16), 3), { code: 'damaged' })
})
