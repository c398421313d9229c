import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { forEachHash, hashLists, randomHashes } from '../../test/support/hashes.js'
import { DedupSet, SEEN } from '../dedup-set.js'

t.test('an exact set answers as a set of strings does', async () => {
  fc.assert(
    fc.property(hashLists, (all) => {
      const set = new DedupSet()
      const reference = new Set<string>()
      for (const [w0, w1, w2, w3] of all) {
        // The rest of the last word is not kept.
        const text = `${w0} ${w1} ${w2} ${(w0 | w1 | w2) === 0 ? w3 : w3 >>> 24}`
        if (set.has(w0, w1, w2, w3) !== (reference.has(text) ? SEEN.yes : SEEN.no)) return false
        set.add(w0, w1, w2, w3)
        reference.add(text)
      }
      return set.size === reference.size
    }),
    { numRuns: cases(100) },
  )
})

t.test('added ids are always found and others never, in every form of the set', async () => {
  const step = fc.record({
    at: fc.nat({ max: 1_000 }),
    compact: fc.nat({ max: 300 }),
    thin: fc.nat({ max: 600 }),
  })
  fc.assert(
    fc.property(
      hashLists,
      fc.array(step, { maxLength: 6 }),
      fc.nat({ max: 100_000 }),
      fc.boolean(),
      (all, steps, room, released) => {
        const set = new DedupSet()
        set.reserve(room)
        const reference = new Set<string>()
        for (const [i, [w0, w1, w2, w3]] of all.entries()) {
          for (const { at, compact, thin } of steps) {
            if (at !== i) continue
            for (let n = 0; n < compact; n++) set.compact()
            for (let n = 0; n < thin; n++) set.downsample()
          }
          const text = `${w0} ${w1} ${w2} ${(w0 | w1 | w2) === 0 ? w3 : w3 >>> 24}`
          const known = set.has(w0, w1, w2, w3)
          if (reference.has(text) ? known === SEEN.no : known === SEEN.yes) return false
          set.add(w0, w1, w2, w3)
          reference.add(text)
        }
        if (released) set.release()
        return all.every(([w0, w1, w2, w3]) => set.has(w0, w1, w2, w3) !== SEEN.no)
      },
    ),
    { numRuns: cases(60) },
  )
})

t.test('a large set keeps every hash, stays small and never pauses for long', async (t) => {
  const set = new DedupSet()
  const count = 400_000
  const hashes = randomHashes(count)
  let slowest = 0
  for (let from = 0; from < hashes.length; from += 400) {
    const started = process.hrtime.bigint()
    forEachHash(hashes.subarray(from, from + 400), (w0, w1, w2, w3) => set.add(w0, w1, w2, w3))
    slowest = Math.max(slowest, Number(process.hrtime.bigint() - started) / 1e6)
  }
  t.equal(set.size, count)
  let gone = 0
  const ask = () => {
    gone = 0
    forEachHash(hashes, (w0, w1, w2, w3) => {
      if (set.has(w0, w1, w2, w3) === SEEN.no) gone++
    })
  }
  ask()
  t.equal(gone, 0)
  t.equal(set.has(1, 2, 3, 4), SEEN.no)
  t.ok(set.bytes < count * 19, `${(set.bytes / count).toFixed(1)} bytes an id`)
  t.comment(`slowest 100 additions: ${slowest.toFixed(2)} ms`)

  const exact = set.bytes
  for (let i = 0; i < 128; i++) t.ok(set.compact())
  t.same(set.forms(), { exact: 128, filter: 128, nothing: 0 })
  t.ok(set.bytes < exact * 0.8)
  ask()
  t.equal(gone, 0, 'half of it filters')
  while (set.compact());
  t.ok(set.bytes < count * 8, `${(set.bytes / count).toFixed(1)} bytes an id`)
  ask()
  t.equal(gone, 0, 'all of it filters')
  let perhaps = 0
  forEachHash(randomHashes(100_000, 77), (w0, w1, w2, w3) => {
    if (set.has(w0, w1, w2, w3) === SEEN.maybe) perhaps++
  })
  t.ok(perhaps < 500, `${perhaps} of 100,000 others are doubtful`)

  let steps = 0
  let useless = 0
  for (let bytes = set.bytes; set.downsample(); bytes = set.bytes) {
    if (set.bytes >= bytes) useless++
    if (++steps % 128 === 0) ask()
    if (gone > 0) break
  }
  t.equal(useless, 0, 'each step frees memory')
  t.equal(gone, 0, 'coarser filters')
  t.ok(set.isBlind)
  t.notOk(set.compact())
  ask()
  t.equal(gone, 0, 'nothing of it in memory')
})
