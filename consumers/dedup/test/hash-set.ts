import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { forEachHash, hashLists, randomHashes } from '../../test/support/hashes.js'
import { HashSet } from '../hash-set.js'
import { PagePool } from '../page-pool.js'

t.test('a table answers as a set of strings does, with or without reserved capacity', async () => {
  fc.assert(
    fc.property(hashLists, fc.nat({ max: 3_000 }), (all, room) => {
      const table = new HashSet(new PagePool())
      if (room % 2 === 0) table.reserve(room)
      const reference = new Set<string>()
      for (const [w0, w1, w2] of all) {
        if ((w0 | w1 | w2) === 0) continue
        const text = `${w0} ${w1} ${w2}`
        if (table.has(w0, w1, w2) !== reference.has(text)) return false
        if (table.add(w0, w1, w2) === reference.has(text)) return false
        reference.add(text)
      }
      const visited: string[] = []
      table.forEach((w0, w1, w2) => {
        visited.push(`${w0} ${w1} ${w2}`)
      })
      return table.size === reference.size && visited.sort().join() === [...reference].sort().join()
    }),
    { numRuns: cases(100) },
  )
})

t.test('a large table keeps every id in less than 16 bytes each', async (t) => {
  const pool = new PagePool()
  const table = new HashSet(pool)
  const hashes = randomHashes(200_000)
  let most = 0
  let added = 0
  forEachHash(hashes, (w0, w1, w2) => {
    table.add(w0, w1, w2)
    if (++added > 50_000) most = Math.max(most, table.bytes / added)
  })
  t.ok(most < 17, `at most ${most.toFixed(1)} bytes an id`)
  let gone = 0
  forEachHash(hashes, (w0, w1, w2) => {
    if (!table.has(w0, w1, w2)) gone++
  })
  t.equal(gone, 0)
  t.notOk(table.has(1, 2, 3))
  const held = table.bytes
  table.release()
  t.equal(table.bytes, 0)
  t.notOk(table.has(hashes[0] ?? 0, hashes[1] ?? 0, hashes[2] ?? 0))
  t.ok(pool.idleBytes >= held, 'its memory is the pool’s again')
})
