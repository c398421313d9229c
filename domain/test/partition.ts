import fc from 'fast-check'
import t from 'tap'
import { partitionOfHash } from '../partition.js'

t.test('a partition is the unsigned hash modulo the number of partitions', async (t) => {
  t.equal(partitionOfHash(-1, 10), 4_294_967_295 % 10)
  t.equal(partitionOfHash(0, 7), 0)
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }),
      fc.integer({ min: 1, max: 1_000 }),
      (hash, count) => {
        const partition = partitionOfHash(hash, count)
        return partition === Number(BigInt.asUintN(32, BigInt(hash)) % BigInt(count))
      },
    ),
  )
})
