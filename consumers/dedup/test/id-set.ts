import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { forEachHash, hashLists, randomHashes, type Words } from '../../test/support/hashes.js'
import { DedupSet, SEEN } from '../dedup-set.js'
import { DamagedRunError, IdRun, RunWriter } from '../id-run.js'
import { appendSet, IdSet } from '../id-set.js'
import { PagePool } from '../page-pool.js'
import { ID_WORDS, sortIds } from '../sorted-ids.js'

const root = mkdtempSync(join(tmpdir(), 'svc-ids-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))
let files = 0

async function writeRun(hashes: Iterable<readonly number[]>) {
  const set = new DedupSet()
  for (const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] of hashes) set.add(w0, w1, w2, w3)
  const name = `${files++}.ids`
  const path = join(root, name)
  const writer = await RunWriter.create(path, name, set.size)
  await appendSet(writer, set)
  return { path, info: await writer.finish() }
}

function listOf(hashes: Int32Array): Words[] {
  const list: Words[] = []
  forEachHash(hashes, (...words) => list.push(words))
  return list
}

/** Sets and runs leave out the lower three bytes of the fourth word. */
const compared = ([w0, w1, w2, w3]: Words) => `${w0} ${w1} ${w2} ${w3 >>> 24}`

t.test('ids are sorted by the third word, unsigned, each once', async () => {
  const word = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: -2, max: 2 }))
  await fc.assert(
    fc.property(fc.array(fc.tuple(word, word, word), { maxLength: 300, size: 'max' }), (list) => {
      const ids = Int32Array.from(list.flat())
      const count = sortIds(ids, list.length)
      const sorted = Array.from({ length: count }, (_, i) =>
        ids.slice(i * ID_WORDS, (i + 1) * ID_WORDS).join(' '),
      )
      if ([...new Set(list.map((id) => id.join(' ')))].sort().join() !== [...new Set(sorted)].sort().join())
        throw new Error('other ids')
      for (let i = 1; i < count; i++)
        if ((ids[i * 3 + 2] ?? 0) >>> 0 < (ids[i * 3 - 1] ?? 0) >>> 0) throw new Error('out of order')
    }),
    { numRuns: cases(100, 2_000) },
  )
})

t.test('a run has the ids that were written and no others', async (t) => {
  await fc.assert(
    fc.asyncProperty(hashLists, hashLists, async (stored, others) => {
      const { path, info } = await writeRun(stored)
      const run = await IdRun.open(path, info, new PagePool())
      const known = new Set(stored.map(compared))
      for (const form of ['whole', 'folded or gone', 'gone'] as const) {
        for (const words of [...stored, ...others])
          t.equal(run.has(...words), known.has(compared(words)), form)
        run.downsample()
      }
      await run.close()
    }),
    { numRuns: cases(10, 300) },
  )
  const many = randomHashes(100_000)
  const { path, info } = await writeRun(listOf(many))
  const run = await IdRun.open(path, info, new PagePool())
  t.ok(run.bytes < 100_000 * 2.5, `${run.bytes} bytes`)
  let [missing, passed, wrong] = [0, 0, 0]
  forEachHash(many, (...words) => {
    if (!run.has(...words)) missing++
  })
  forEachHash(randomHashes(100_000, 777), (...words) => {
    if (run.mayHave(...words)) passed++
    if (run.has(...words)) wrong++
  })
  t.same({ missing, wrong }, { missing: 0, wrong: 0 })
  t.ok(passed < 1_000, `${passed} of 100,000 unknown ids would be read from the disk`)
  await run.close()
})

t.test('a damaged file is noticed, and never gives a wrong answer', async (t) => {
  const hashes = randomHashes(2_000)
  const { path, info } = await writeRun(listOf(hashes))
  const whole = readFileSync(path)
  const places = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    bit: fc.nat({ max: 7 }),
  })
  let noticed = 0
  await fc.assert(
    fc.asyncProperty(places, fc.boolean(), async ({ at, bit }, cut) => {
      const bytes = Buffer.from(whole)
      const place = Math.floor(at * bytes.length)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
      writeFileSync(path, cut ? whole.subarray(0, place) : bytes)
      let run: IdRun | undefined
      try {
        run = await IdRun.open(path, info, new PagePool())
        forEachHash(hashes, (...words) => {
          if (run?.has(...words) !== true) throw new Error('a stored id is missing')
        })
        throw new Error('the damage went unnoticed')
      } catch (error) {
        if (!(error instanceof DamagedRunError)) throw error
        noticed++
      }
      await run?.close()
    }),
    { numRuns: cases(60, 600) },
  )
  t.ok(noticed > 0)
})

t.test('a set knows what was added, while and after it is brought to the disk and merged', async (t) => {
  const folder = join(root, 'set')
  const set = new IdSet(new PagePool(), folder, (error) => t.fail(String(error)))
  const added: Words[] = []
  for (let part = 0; part < 21; part++) {
    for (const words of listOf(randomHashes(500 + part, part * 1_000_003))) {
      set.add(...words)
      added.push(words)
    }
    const freezing = set.freeze()
    t.ok(added.every((words) => set.find(...words) === SEEN.yes))
    if (part % 3 === 0) await freezing
  }
  await set.freeze()
  t.ok(added.every((words) => set.has(...words) !== SEEN.no && set.find(...words) === SEEN.yes))
  const others = listOf(randomHashes(10_000, 99))
  t.ok(others.every((words) => set.find(...words) === SEEN.no))
  await set.release()
  t.ok(
    [...added, ...others].every((words) => set.find(...words) === SEEN.maybe),
    'a released set decides nothing',
  )
})

t.test('a disk that fails costs no id', async (t) => {
  const failures: unknown[] = []
  writeFileSync(join(root, 'a-file'), '')
  const set = new IdSet(new PagePool(), join(root, 'a-file', 'below'), (error) => failures.push(error))
  const before = listOf(randomHashes(1_000, 5))
  for (const words of before) set.add(...words)
  await set.freeze()
  t.equal(failures.length, 1)
  t.equal(set.freezable, 0, 'it is not tried again')
  t.ok(before.every((words) => set.find(...words) === SEEN.yes))
})
