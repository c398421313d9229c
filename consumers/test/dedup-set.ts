import fc from 'fast-check'
import t from 'tap'
import { DedupSet, PendingHashes } from '../dedup-set.js'

const word = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const hash = fc.tuple(word, word, word, word).filter((words) => words.some((value) => value !== 0))
/** Hashes that crowd into few tables and slots, and differ in one word only. */
const crowded = fc.tuple(
  fc.integer({ min: 0, max: 2 }),
  fc.integer({ min: 0, max: 2 }),
  fc.constantFrom(0, 1, -1),
  fc.constantFrom(0, 1, -2, -1),
)

const hashes = fc.array(
  fc.oneof(
    hash,
    crowded.filter((words) => words.some((value) => value !== 0)),
  ),
  { maxLength: 1_000, size: 'max' },
)

t.test('the set answers as a set of texts does', async (t) => {
  fc.assert(
    fc.property(hashes, (all) => {
      const set = new DedupSet()
      const reference = new Set<string>()
      for (const [w0, w1, w2, w3] of all) {
        const text = `${w0} ${w1} ${w2} ${w3}`
        if (set.has(w0, w1, w2, w3) !== reference.has(text)) return false
        if (set.add(w0, w1, w2, w3) === reference.has(text)) return false
        reference.add(text)
      }
      return set.size === reference.size
    }),
    { numRuns: 100 },
  )
  t.pass()
})

t.test('pending hashes answer as a set of texts does, block after block', async (t) => {
  const pending = new PendingHashes()
  fc.assert(
    fc.property(hashes, (all) => {
      pending.reset(all.length)
      const words = Int32Array.from(all.flat())
      const reference = new Set<string>()
      return all.every((hash, row) => {
        const isNew = !reference.has(hash.join(' '))
        reference.add(hash.join(' '))
        return pending.add(words, row) === isNew
      })
    }),
    { numRuns: 100 },
  )
  t.pass()
})

t.test('a large set keeps every hash, stays small and never pauses for long', async (t) => {
  const set = new DedupSet()
  const words = new Int32Array(4)
  let state = 12_345
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) ^ (state >>> 12)) >>> 0
  }
  const count = 1_000_000
  const kept = new Int32Array(count * 4)
  for (let i = 0; i < count; i++) {
    for (let w = 0; w < 4; w++) words[w] = next()
    kept.set(words, i * 4)
  }
  let slowest = 0
  for (let i = 0; i < count; i += 100) {
    const started = process.hrtime.bigint()
    for (let j = i; j < i + 100; j++)
      set.add(kept[j * 4] ?? 0, kept[j * 4 + 1] ?? 0, kept[j * 4 + 2] ?? 0, kept[j * 4 + 3] ?? 0)
    slowest = Math.max(slowest, Number(process.hrtime.bigint() - started) / 1e6)
  }
  t.equal(set.size, count)
  for (let j = 0; j < count; j++)
    if (!set.has(kept[j * 4] ?? 0, kept[j * 4 + 1] ?? 0, kept[j * 4 + 2] ?? 0, kept[j * 4 + 3] ?? 0))
      t.fail(`hash ${j} is gone`)
  t.notOk(set.has(1, 2, 3, 4))
  t.ok(set.bytes < count * 34, `${(set.bytes / count).toFixed(1)} bytes an entry`)
  t.comment(`slowest 100 additions: ${slowest.toFixed(2)} ms`)
})

t.test('pending hashes are bounded by what the block was said to have', async (t) => {
  const pending = new PendingHashes()
  pending.reset(10)
  const words = Int32Array.from({ length: 20_000 }, (_, index) => index + 1)
  t.throws(() => {
    for (let row = 0; row < 5_000; row++) pending.add(words, row)
  }, RangeError)
})
