import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { wrapped } from '../../test/support/failing.js'
import { hashNumber, type Words } from '../../test/support/hashes.js'
import { TestStores } from '../../test/support/stores.js'
import { SEEN } from '../dedup-set.js'
import { Deduplicator } from '../deduplicator.js'
import { IdRun, RunWriter } from '../id-run.js'
import { RunPage } from '../id-set.js'
import { openIdFolder } from '../id-snapshot.js'
import { PagePool } from '../page-pool.js'
import { fillFromStore } from '../stored-ids.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()
const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 3 }
const PARTITION = 2
let months = 0

/** An id by its number. All are of partition 2. */
function idOf(n: number): Words {
  const mixed = Math.imul(n + 1, 0x9e3779b1)
  return [n * 3 + PARTITION, mixed, mixed ^ 0x55aa55aa, Math.imul(mixed, 0x85ebca6b)]
}

/** One month with its folder: what a consumer does with it, and what other processes do. */
class Month {
  private readonly index = months++
  readonly year = 2030 + Math.floor(this.index / 12)
  readonly month = this.year * 100 + (this.index % 12) + 1
  readonly receivedAt = Date.UTC(this.year, this.index % 12, 3)
  readonly folder = join(stores.folder, `ids-${this.index}`)
  readonly files = join(this.folder, String(this.month), String(PARTITION))
  position = 10
  replayed = 0
  /** Statements that read the hashes of the whole month, or of what came after a snapshot. */
  reads: ('month' | 'since')[] = []
  owner: Deduplicator

  constructor() {
    this.owner = this.start()
  }

  start(): Deduplicator {
    const watched = wrapped(clickhouse, {
      rowBinary: (sql, options) => {
        if (sql.includes('{page')) this.reads.push(sql.includes('{since') ? 'since' : 'month')
        return clickhouse.rowBinary(sql, options)
      },
    })
    this.reads = []
    // Only closes its files.
    this.owner?.dropPartition(PARTITION)
    const options = { folder: this.folder, runIds: 8, minSavedIds: 1, fillWaitMs: 100_000 }
    this.owner = new Deduplicator(watched, LOG, 2 ** 24, options)
    this.owner.noteReplayedLetters(PARTITION, this.replayed)
    return this.owner
  }

  /** Stores a block as the owner. Returns the numbers that were new. */
  async block(numbers: readonly number[], from = this.position): Promise<number[]> {
    const isReplay = from < this.position
    const ids = await this.owner.idsOf(PARTITION, [this.month], this.position)
    const mine = ids.get(this.month)
    if (mine === undefined) throw new Error('no ids')
    const hashes = Int32Array.from(numbers.flatMap(idOf))
    mine.pending.reset(numbers.length)
    const duplicates = new Set<number>()
    for (const [row, n] of numbers.entries()) {
      const known = mine.seen.has(...idOf(n))
      if (known === SEEN.yes || !mine.pending.add(hashes, row, this.month)) duplicates.add(row)
      else if (known === SEEN.maybe) mine.doubtful.push(row)
    }
    for (const row of await this.owner.findDuplicates(hashes, PARTITION, ids, this.position, false))
      duplicates.add(row)
    const stored = numbers.filter((_, row) => !duplicates.has(row))
    await this.insert(stored, from)
    for (const n of stored) mine.seen.add(...idOf(n))
    const last = stored.at(-1)
    if (last !== undefined) mine.seen.newest = { words: idOf(last), receivedAt: this.receivedAt }
    if (isReplay) {
      mine.seen.hasReplays = true
      this.owner.noteReplayedLetters(PARTITION, undefined)
      this.replayed++
    } else this.position++
    mine.seen.storedBelow = Math.max(mine.seen.storedBelow, this.position)
    await this.owner.evict(new Set(ids.values()))
    return stored
  }

  /** Stores a block of the log. All earlier blocks are committed after it. */
  async blockOfLog(numbers: readonly number[]): Promise<number[]> {
    this.owner.noteReplayedLetters(PARTITION, this.replayed)
    const from = this.position
    const stored = await this.block(numbers)
    await this.owner.committed(PARTITION, from)
    return stored
  }

  /** Commits the last block and ends. */
  async stop(): Promise<void> {
    await this.owner.committed(PARTITION, this.position)
    await this.owner.close()
  }

  async insert(numbers: readonly number[], offset: number): Promise<void> {
    if (numbers.length === 0) return
    const rows = numbers.map((n) => `toUInt128('${hashNumber(idOf(n))}')`)
    await clickhouse.command(
      `INSERT INTO events (received_at, timestamp, insert_hash, log_id, log_partition, log_offset, event)
       SELECT fromUnixTimestamp64Milli(toInt64(${this.receivedAt}), 'UTC') AS at, at, arrayJoin([${rows.join(', ')}]),
         '${LOG.id}', ${PARTITION}, ${offset}, 'e'`,
    )
  }

  async erase(numbers: readonly number[]): Promise<void> {
    const ids = numbers.map((n) => `toUInt128('${hashNumber(idOf(n))}')`)
    await clickhouse.command(
      `INSERT INTO erased_ids (received_at, insert_hash)
       SELECT fromUnixTimestamp64Milli(toInt64(${this.receivedAt}), 'UTC'), arrayJoin([${ids.join(', ')}])`,
    )
  }

  async remove(numbers: readonly number[]): Promise<void> {
    const ids = numbers.map((n) => `toUInt128('${hashNumber(idOf(n))}')`)
    await clickhouse.command(
      `ALTER TABLE events DELETE IN PARTITION ID '${this.month}' WHERE insert_hash IN (${ids.join(', ')})`,
      { settings: { mutations_sync: 2 } },
    )
  }

  runs(): string[] {
    if (!existsSync(this.files)) return []
    return readdirSync(this.files).map((name) => join(this.files, name))
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

async function filled(): Promise<Month> {
  const month = new Month()
  for (let n = 0; n < 60; n += 6) await month.blockOfLog(range(n, n + 6))
  return month
}

t.test('after a stop, the next owner reads no month and knows every id', async (t) => {
  const month = await filled()
  await month.stop()
  month.start()
  t.same(await month.blockOfLog([...range(0, 61), 30]), [60])
  t.same(month.reads, [], 'nothing was stored since')
})

t.test('after a kill, it reads what was stored since the last snapshot', async (t) => {
  const month = await filled()
  month.start()
  t.same(await month.blockOfLog(range(0, 62)), [60, 61])
  t.same(month.reads, ['since'])
})

t.test('what another owner stored meanwhile is known', async (t) => {
  const month = await filled()
  await month.stop()
  await month.insert(range(60, 80), month.position++)
  month.start()
  t.same(await month.blockOfLog(range(0, 82)), [80, 81])
  t.same(month.reads, ['since'])
})

t.test('files that do not fit the store are not believed', async (t) => {
  const cases: [string, (month: Month) => Promise<unknown>, readonly number[]][] = [
    [
      'ahead of the store',
      async (month) => {
        month.position -= 3
        await month.remove(range(42, 60))
      },
      range(42, 61),
    ],
    [
      'a store restored to an earlier state, with other events since',
      async (month) => {
        await month.remove(range(54, 60))
        await month.insert([100], month.position++)
      },
      range(54, 61),
    ],
    [
      'letters replayed by another owner',
      async (month) => {
        month.replayed++
        await month.insert([60], 1)
      },
      [],
    ],
    [
      'a file is missing',
      async (month) => rmSync(month.runs().find((path) => path.endsWith('.ids')) ?? ''),
      [60],
    ],
    ['a damaged snapshot', async (month) => writeFileSync(join(month.files, 'snapshot.json'), '1\n{}'), [60]],
    ['an empty snapshot', async (month) => writeFileSync(join(month.files, 'snapshot.json'), ''), [60]],
  ]
  for (const [what, change, expected] of cases) {
    const month = await filled()
    await month.stop()
    await change(month)
    month.start()
    t.same(await month.blockOfLog(range(0, 61)), expected, what)
    t.ok(month.reads.includes('month'), `${what}: the month is read`)
  }
})

t.test('a dead letter that is replayed stays known, also if the process is killed at once', async (t) => {
  const month = await filled()
  t.same(await month.block([5, 200], 3), [200])
  month.start()
  t.same(await month.blockOfLog([200, 201]), [201])
  t.ok(month.reads.includes('month'))
  for (let n = 300; n < 330; n += 3) await month.blockOfLog(range(n, n + 3))
  await month.stop()
  month.start()
  t.same(await month.blockOfLog([200, 201, 329, 330]), [330])
  t.same(month.reads, [], 'saved with the replayed id')
})

t.test('ids of erased events stay known', async (t) => {
  const month = await filled()
  await month.stop()
  // The newest one too.
  await month.erase([3, 59])
  await month.remove([3, 59])
  month.start()
  t.same(await month.blockOfLog(range(0, 61)), [60])
  t.same(month.reads, ['since'], 'the erased ids only')
})

t.test('damage that a look-up finds ends the block, and the next one reads the month', async (t) => {
  const month = await filled()
  await month.stop()
  for (const path of month.runs().filter((path) => path.endsWith('.ids'))) {
    const bytes = readFileSync(path)
    // Ids are between the filter and the index. The filter of few ids is one step of blocks, 256 bytes.
    bytes[256 + 40] = (bytes[256 + 40] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }
  month.start()
  await t.rejects(month.blockOfLog(range(0, 61)), { name: 'DamagedRunError' })
  t.same(await month.blockOfLog(range(0, 61)), [60])
  t.same(month.reads, ['month'])
})

t.test('pages of less than a table come in the order of a run', async (t) => {
  const month = new Month()
  const numbers = range(0, 300)
  await month.insert(numbers, 1)
  const name = 'pages.ids'
  const path = join(stores.folder, name)
  const writer = await RunWriter.create(path, name, numbers.length)
  const page = new RunPage()
  const scope = { partition: PARTITION, month: month.month, before: 10 }
  let pages = 0
  await fillFromStore(clickhouse, LOG, scope, page, {
    stored: numbers.length,
    pageHashes: 1,
    pageAdded: () => {
      pages++
      return page.moveTo(writer)
    },
  })
  t.equal(pages, 512)
  const run = await IdRun.open(path, await writer.finish(), new PagePool())
  t.equal(run.count, numbers.length)
  t.ok(numbers.every((n) => run.has(...idOf(n))))
  await run.close()
})

t.test('folders of other logs and of months long ended are removed', async (t) => {
  const root = join(stores.folder, 'root')
  const old = '0190c8f1-0000-7000-8000-00000000000b'
  await openIdFolder(root, old, new Date(0))
  const now = new Date(Date.UTC(2030, 0, 20))
  const folder = await openIdFolder(root, LOG.id, now)
  for (const month of ['202911', '202912', '203001']) await openIdFolder(folder, month, now)
  writeFileSync(join(root, 'svc.lock'), '')
  await openIdFolder(root, LOG.id, now)
  t.same(readdirSync(root).sort(), [LOG.id, 'svc.lock'].sort())
  t.same(readdirSync(folder).sort(), ['202912', '203001'])
})

t.test('random lives of a month agree with a plain set', async (t) => {
  const number = fc.nat({ max: 150 })
  const numbers = fc.array(number, { minLength: 1, maxLength: 14 })
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('block' as const), numbers }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'stop' as const), numbers }) },
    fc.record({
      do: fc.constantFrom('replay' as const, 'other owner' as const, 'other owner replays' as const),
      numbers,
    }),
    fc.record({ do: fc.constant('erased letters' as const), numbers }),
    fc.record({
      do: fc.constant('damage' as const),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    }),
  )
  let saved = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const month = new Month()
      const stored = new Set<number>()
      const fresh = (list: readonly number[]) => [...new Set(list)].filter((n) => !stored.has(n))
      for (const one of steps) {
        if (one.do === 'kill' || one.do === 'stop') {
          if (one.do === 'stop') await month.stop()
          month.start()
        } else if (one.do === 'damage') {
          const runs = month.runs()
          const path = runs[Math.floor(one.at * runs.length)]
          if (path === undefined) continue
          const bytes = readFileSync(path)
          const at = Math.floor(((one.at * 7_919) % 1) * bytes.length)
          bytes[at] = (bytes[at] ?? 0) ^ 4
          writeFileSync(path, bytes)
          month.start()
        } else if (one.do === 'erased letters') {
          await month.erase(one.numbers)
          for (const n of one.numbers) stored.add(n)
          month.owner.dropPartition(PARTITION)
        } else if (one.do === 'other owner' || one.do === 'other owner replays') {
          const added = fresh(one.numbers)
          await month.insert(added, one.do === 'other owner' ? month.position++ : 2)
          if (one.do === 'other owner replays') month.replayed++
          for (const n of added) stored.add(n)
          month.start()
        } else {
          const expected = fresh(one.numbers)
          const store = () =>
            one.do === 'replay' ? month.block(one.numbers, 1) : month.blockOfLog(one.numbers)
          // Damage ends a block, which is repeated.
          const added = await store().catch((error: Error) => {
            if (error.name !== 'DamagedRunError') throw error
            return store()
          })
          if (added.join() !== expected.join()) throw new Error(`${added} and not ${expected}`)
          for (const n of added) stored.add(n)
          if (month.reads.length > 0 && !month.reads.includes('month')) saved++
        }
      }
      await month.stop()
    }),
    { numRuns: cases(5, 150) },
  )
  t.ok(saved > 0, 'snapshots were used')
})
