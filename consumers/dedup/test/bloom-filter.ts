import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { forEachHash, hashLists, randomHashes } from '../../test/support/hashes.js'
import { BlockedBloomFilter } from '../bloom-filter.js'
import { PagePool } from '../page-pool.js'

/** The share of ids that were not added which pass. */
function passing(filter: BlockedBloomFilter): number {
  let passed = 0
  forEachHash(randomHashes(50_000, 999), (w0, w1, w2) => {
    if (filter.has(w0, w1, w2)) passed++
  })
  return passed / 50_000
}

t.test('added ids are always found, however the filter has grown and been folded', async () => {
  fc.assert(
    fc.property(
      hashLists,
      fc.nat({ max: 20_000 }),
      fc.array(fc.nat({ max: 1_000 }), { maxLength: 12 }),
      (all, expected, foldsAfter) => {
        const filter = new BlockedBloomFilter(new PagePool(), expected)
        for (const [i, [w0, w1, w2]] of all.entries()) {
          filter.add(w0, w1, w2)
          for (const after of foldsAfter) if (after === i) filter.fold()
        }
        while (filter.fold());
        return all.every(([w0, w1, w2]) => filter.has(w0, w1, w2))
      },
    ),
    { numRuns: cases(100) },
  )
})

t.test(
  'the share of false positives is small, and grows slowly as the filter is filled and folded',
  async (t) => {
    const hashes = randomHashes(100_000)
    const filter = new BlockedBloomFilter(new PagePool(), 100_000)
    forEachHash(hashes, (w0, w1, w2) => filter.add(w0, w1, w2))
    const full = passing(filter)
    t.ok(full < 0.005, `${(full * 100).toFixed(2)} % at ${(filter.bytes / 1e5).toFixed(2)} bytes an id`)
    t.ok(filter.bytes < 260_000)

    t.ok(filter.fold())
    const folded = passing(filter)
    t.ok(
      folded > full && folded < 0.06,
      `${(folded * 100).toFixed(2)} % at ${(filter.bytes / 1e5).toFixed(2)}`,
    )
    t.notOk(filter.fold(), 'too few bits would be left')
    let gone = 0
    forEachHash(hashes, (w0, w1, w2) => {
      if (!filter.has(w0, w1, w2)) gone++
    })
    t.equal(gone, 0)
  },
)

t.test('a filter made for few ids grows as needed', async (t) => {
  const pool = new PagePool()
  const filter = new BlockedBloomFilter(pool, 0)
  const hashes = randomHashes(100_000, 5)
  forEachHash(hashes, (w0, w1, w2) => filter.add(w0, w1, w2))
  let gone = 0
  forEachHash(hashes, (w0, w1, w2) => {
    if (!filter.has(w0, w1, w2)) gone++
  })
  t.equal(gone, 0)
  const share = passing(filter)
  t.ok(share < 0.02, `${(share * 100).toFixed(2)} % pass`)
  t.ok(filter.bytes < 500_000, `${(filter.bytes / 1e5).toFixed(2)} bytes an id`)
  filter.release()
  t.equal(filter.bytes, 0)
})
