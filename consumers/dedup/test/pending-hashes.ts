import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { hashLists } from '../../test/support/hashes.js'
import { PendingHashes } from '../pending-hashes.js'

t.test('pending hashes answer as a set of strings does, for each block', async () => {
  const pending = new PendingHashes()
  fc.assert(
    fc.property(hashLists, (all) => {
      pending.reset(all.length)
      const words = Int32Array.from(all.flat())
      const reference = new Set<string>()
      return all.every((hash, row) => {
        const text = hash.join(' ')
        const isNew = !reference.has(text)
        reference.add(text)
        return pending.add(words, row) === isNew
      })
    }),
    { numRuns: cases(100) },
  )
})

t.test('pending hashes are bounded by the announced size of the block', async (t) => {
  const pending = new PendingHashes()
  pending.reset(10)
  const words = Int32Array.from({ length: 20_000 }, (_, index) => index + 1)
  t.throws(() => {
    for (let row = 0; row < 5_000; row++) pending.add(words, row)
  }, RangeError)
})
