import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { shardsOf } from '../../../clickhouse/shards.js'
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
/** Of several shards, the one that the rows of these tests are on. */
const shard = shardsOf(clickhouse)[0] ?? clickhouse
const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 3 }
const PARTITION = 2
let months = 0

/** An id by its number. All are of partition 2. */
function idOf(n: number): Words {
  const mixed = Math.imul(n + 1, 0x9e3779b1)
  return [n * 3 + PARTITION, mixed, mixed ^ 0x55aa55aa, Math.imul(mixed, 0x85ebca6b)]
}

interface PublishedRow {
  readonly file: string
  readonly kind: 'snapshot' | 'filter'
  readonly part: number
  readonly writtenAt: number
  readonly content: Buffer
}

/** The row with a bit flipped at a place from 0 to 1, or cut there. */
function damaged(row: PublishedRow, place: number, isCut: boolean): Partial<PublishedRow> {
  const at = Math.floor(place * row.content.length)
  const content = Buffer.from(row.content)
  content[at] = (content[at] ?? 0) ^ 4
  return { content: isCut ? content.subarray(0, at) : content }
}

/** One month, the folders of its owners, and what it has in ClickHouse: what consumers do with them. */
class Month {
  private readonly index = months++
  private machine = 0
  private held: { readonly opened: Promise<void>; readonly open: () => void } | undefined
  private readonly publishers = new Set<Deduplicator>()
  readonly year = 2030 + Math.floor(this.index / 12)
  readonly month = this.year * 100 + (this.index % 12) + 1
  readonly receivedAt = Date.UTC(this.year, this.index % 12, 3)
  position = 10
  replayed = 0
  /** Statements that read the hashes of the whole month, or of what came after a snapshot. */
  reads: ('month' | 'since')[] = []
  /** Questions about rows. */
  questions = 0
  warnings = 0
  refusesToPublish = false
  hasFolder = true
  waitsForRuns = true
  owner: Deduplicator

  constructor(private readonly publishes = false) {
    this.owner = this.start()
  }

  get folder(): string {
    return join(stores.folder, `ids-${this.index}-${this.machine}`)
  }

  get files(): string {
    return join(this.folder, String(this.month), String(PARTITION))
  }

  start(): Deduplicator {
    const command: ClickHouse['command'] = async (sql, options) => {
      if (sql.startsWith('INSERT INTO id_filters')) {
        // A stop does not wait for it.
        const stopping = new Promise((resolve) => options?.signal?.addEventListener('abort', resolve))
        if (options?.signal?.aborted !== true) await Promise.race([this.held?.opened, stopping])
        if (this.refusesToPublish) throw new Error('access denied')
      }
      return shard.command(sql, options)
    }
    const watched = wrapped(clickhouse, {
      rowBinary: (sql, options) => {
        if (sql.includes('{page')) this.reads.push(sql.includes('{since') ? 'since' : 'month')
        if (sql.includes('{ids')) this.questions++
        return clickhouse.rowBinary(sql, options)
      },
      ...(clickhouse.shards === undefined
        ? { command }
        : { shards: { ...clickhouse.shards, stores: [wrapped(shard, { command })] } }),
    })
    this.reads = []
    this.questions = 0
    // Only closes its files.
    this.owner?.dropPartition(PARTITION)
    this.owner = new Deduplicator(watched, LOG, 2 ** 24, {
      folder: this.hasFolder ? this.folder : undefined,
      runIds: 8,
      minSavedIds: 1,
      fillWaitMs: 100_000,
      publishes: this.publishes,
      chunkBytes: 20_000,
      logger: { info: () => {}, warn: () => void this.warnings++ },
    })
    this.publishers.add(this.owner)
    this.owner.noteReplayedLetters(PARTITION, this.replayed)
    return this.owner
  }

  /** Another machine takes over. */
  move(hasFolder = true): void {
    this.machine++
    this.hasFolder = hasFolder
    this.start()
  }

  /** From now on owners are frozen before they publish, until `thaw`. */
  freeze(): void {
    let open = (): void => {}
    this.held ??= { opened: new Promise<void>((resolve) => (open = resolve)), open: () => open() }
  }

  async thaw(): Promise<void> {
    this.held?.open()
    this.held = undefined
    for (const owner of this.publishers) await owner.published()
  }

  /** The rows that owners have published and not removed. */
  async published(): Promise<PublishedRow[]> {
    const { rows } = await clickhouse.query<PublishedRow>(
      `SELECT file, kind, part, toUnixTimestamp(written_at) AS writtenAt, base64Encode(content) AS content
       FROM id_filters WHERE month = {month:UInt32} ORDER BY file, part`,
      { params: { month: this.month } },
    )
    return rows.map((row) => ({ ...row, content: Buffer.from(String(row.content), 'base64') }))
  }

  /** Changes what is published. A row for which `edit` returns undefined is removed. */
  async change(edit: (row: PublishedRow) => Partial<PublishedRow> | undefined): Promise<void> {
    const rows = await this.published()
    const edited = rows.map((row) => edit(row))
    for (const file of new Set(rows.filter((row, i) => edited[i] !== row).map((row) => row.file))) {
      await shard.command(`ALTER TABLE id_filters DROP PARTITION '${file}'`)
      for (const [i, change] of edited.entries()) {
        const row = rows[i]
        if (change === undefined || row?.file !== file) continue
        const { kind, part, writtenAt, content } = { ...row, ...change }
        await shard.command(
          `INSERT INTO id_filters (log_id, log_partition, month, kind, file, part, written_at, content)
           SELECT '${LOG.id}', ${PARTITION}, ${this.month}, '${kind}', '${file}', ${part}, ${writtenAt}, base64Decode('${content.toString('base64')}')`,
        )
      }
    }
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
      if (known === SEEN.yes || !mine.pending.add(hashes, row)) duplicates.add(row)
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
    if (this.waitsForRuns && mine.seen.isFreezing) await mine.seen.freeze()
    return stored
  }

  /** Stores a block of the log. All earlier blocks are committed after it. */
  async blockOfLog(numbers: readonly number[]): Promise<number[]> {
    this.owner.noteReplayedLetters(PARTITION, this.replayed)
    const from = this.position
    const stored = await this.block(numbers)
    await this.owner.committed(PARTITION, from, this.owner.lettersReplayed(PARTITION))
    if (this.held === undefined) await this.owner.published()
    return stored
  }

  /** Commits the last block and ends. */
  async stop(): Promise<void> {
    await this.owner.committed(PARTITION, this.position, this.owner.lettersReplayed(PARTITION))
    await this.owner.close()
  }

  async insert(numbers: readonly number[], offset: number): Promise<void> {
    if (numbers.length === 0) return
    const rows = numbers.map((n) => `toUInt128('${hashNumber(idOf(n))}')`)
    await shard.command(
      `INSERT INTO events (received_at, timestamp, insert_hash, log_id, log_partition, log_offset, event)
       SELECT fromUnixTimestamp64Milli(toInt64(${this.receivedAt}), 'UTC') AS at, at, arrayJoin([${rows.join(', ')}]),
         '${LOG.id}', ${PARTITION}, ${offset}, 'e'`,
    )
  }

  async erase(numbers: readonly number[]): Promise<void> {
    const ids = numbers.map((n) => `toUInt128('${hashNumber(idOf(n))}')`)
    await shard.command(
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

async function filled(publishes = false): Promise<Month> {
  const month = new Month(publishes)
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

t.test('another machine reads filters, not the month, and asks ClickHouse about what passes', async (t) => {
  const month = await filled(true)
  month.move()
  t.same(await month.blockOfLog(range(0, 62)), [60, 61])
  t.same(month.reads, ['since'])
  t.equal(month.questions, 1, 'one for all rows of the block')
  await month.blockOfLog(range(1_000, 1_100))
  t.equal(month.questions, 1, 'none for new ids')
  await month.blockOfLog(range(1_100, 1_101))
  month.start()
  t.same(
    await month.blockOfLog([5, 61, 1_050, 1_101]),
    [1_101],
    'filters beside its own files after a restart',
  )
  t.notOk(month.reads.includes('month'))
  month.move(false)
  t.same(
    await month.blockOfLog([...range(0, 62), ...range(1_000, 1_103)]),
    [1_102],
    'a third one, without a disk',
  )
  t.notOk(month.reads.includes('month'))
})

t.test('published ids that do not fit the store, or are damaged, are not believed', async (t) => {
  const cases: [string, (month: Month) => Promise<unknown>, readonly number[]][] = [
    [
      'a store restored to an earlier state, with other events since',
      async (month) => {
        await month.remove(range(6, 60))
        await month.insert([100], month.position++)
      },
      range(6, 61),
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
      'a chunk is missing',
      (month) => month.change((row) => (row.kind === 'filter' && row.part === 1 ? undefined : row)),
      [60],
    ],
    [
      'a chunk is cut',
      (month) => month.change((row) => (row.part === 1 ? damaged(row, 0.9, true) : row)),
      [60],
    ],
    [
      'a bit differs',
      (month) =>
        month.change((row) => (row.kind === 'filter' && row.part === 0 ? damaged(row, 0, false) : row)),
      [60],
    ],
    [
      'damaged snapshots',
      (month) => month.change((row) => (row.kind === 'snapshot' ? damaged(row, 0.5, false) : row)),
      [60],
    ],
    ['nothing is left', (month) => month.change(() => undefined), [60]],
  ]
  for (const [what, change, expected] of cases) {
    const month = await filled(true)
    await change(month)
    month.move()
    t.same(await month.blockOfLog(range(0, 61)), expected, what)
    t.ok(month.reads.includes('month'), `${what}: the month is read`)
  }
})

t.test('files that name filters are of no use without their table, and the month is read', async (t) => {
  const month = await filled(true)
  month.move()
  await month.blockOfLog(range(100, 110))
  await month.stop()
  const rename = (from: string, to: string) => shard.command(`RENAME TABLE ${from} TO ${to}`)
  await rename('id_filters', 'id_filters_gone')
  try {
    month.start()
    t.same(await month.blockOfLog([5, 105, 110]), [110])
    t.ok(month.reads.includes('month'))
  } finally {
    await rename('id_filters_gone', 'id_filters')
  }
})

t.test('a published snapshot that was ahead of restored stores is not believed later either', async (t) => {
  const month = await filled(true)
  month.position -= 8
  await month.remove(range(12, 60))
  month.move()
  month.refusesToPublish = true
  // The newest id of that snapshot comes again.
  for (let n = 200; n < 210; n++) await month.blockOfLog([n, ...range(40, 60)])
  t.ok(month.reads.includes('month'))
  month.move()
  t.same(await month.blockOfLog([...range(200, 211), 59]), [210])
})

t.test('what a frozen owner publishes late is true, and what is published later is preferred', async (t) => {
  const month = new Month(true)
  month.freeze()
  for (let n = 0; n < 60; n += 6) await month.blockOfLog(range(n, n + 6))
  month.move()
  await month.blockOfLog(range(50, 70))
  await month.blockOfLog(range(70, 71))
  await month.thaw()
  month.move()
  t.same(await month.blockOfLog(range(0, 72)), [71])
  t.notOk(month.reads.includes('month'))
})

t.test('an owner that counts letters of the next owner does not call its own ids complete', async (t) => {
  const month = await filled(true)
  await month.blockOfLog(range(60, 63))
  await month.owner.committed(PARTITION, month.position, month.owner.lettersReplayed(PARTITION))
  // It was fenced: the next owner has replayed a letter.
  month.owner.noteReplayedLetters(PARTITION, ++month.replayed)
  await month.insert([100], 1)
  await month.owner.close()
  month.start()
  t.same(await month.blockOfLog([62, 100, 101]), [101])
})

t.test('a store that refuses what is published delays no block and is logged once', async (t) => {
  const month = new Month(true)
  month.refusesToPublish = true
  for (let n = 0; n < 60; n += 6) t.equal((await month.blockOfLog(range(n, n + 6))).length, 6)
  t.equal(month.warnings, 1)
  month.refusesToPublish = false
  await month.blockOfLog(range(60, 70))
  await month.blockOfLog(range(70, 71))
  month.move()
  t.same(await month.blockOfLog(range(0, 72)), [71])
  t.notOk(month.reads.includes('month'), 'it is tried again with the next ids')
})

t.test('superseded filters are removed, once no owner can be about to name them', async (t) => {
  const month = await filled(true)
  const files = async () => new Set((await month.published()).map(({ file }) => file))
  const before = await files()
  await month.change((row) => ({ writtenAt: row.writtenAt - 4_000 }))
  for (let n = 100; n < 200; n += 5) await month.blockOfLog(range(n, n + 5))
  const after = await files()
  t.ok([...before].filter((file) => !after.has(file)).length > 2)
  month.move()
  t.same(await month.blockOfLog([...range(0, 60), ...range(100, 201)]), [200])
  t.notOk(month.reads.includes('month'))
})

t.test('random lives of a month agree with a plain set', async (t) => {
  const number = fc.nat({ max: 150 })
  const numbers = fc.array(number, { minLength: 1, maxLength: 14 })
  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const block = fc.record({ do: fc.constant('block' as const), numbers })
  const step = fc.oneof(
    { weight: 8, arbitrary: block },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'stop' as const), numbers }) },
    fc.record({
      do: fc.constantFrom('replay' as const, 'other owner' as const, 'other owner replays' as const),
      numbers,
    }),
    fc.record({ do: fc.constant('erased letters' as const), numbers }),
    fc.record({ do: fc.constant('damage' as const), at: place }),
    fc.record({ do: fc.constant('damage what is published' as const), at: place }),
    { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), hasFolder: fc.boolean() }) },
    fc.record({ do: fc.constant('freeze' as const) }),
    fc.record({ do: fc.constant('thaw' as const) }),
  )
  let saved = 0
  let moved = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { minLength: 6 }),
      fc.array(step, { minLength: 10 }),
      async (...parts) => {
        const month = new Month(true)
        let hasMoved = false
        const stored = new Set<number>()
        const fresh = (list: readonly number[]) => [...new Set(list)].filter((n) => !stored.has(n))
        for (const one of parts.flat()) {
          if (one.do === 'kill' || one.do === 'stop') {
            if (one.do === 'stop') await month.stop()
            month.start()
            hasMoved = false
          } else if (one.do === 'move') {
            month.move(one.hasFolder)
            hasMoved = true
          } else if (one.do === 'freeze') month.freeze()
          else if (one.do === 'thaw') await month.thaw()
          else if (one.do === 'damage what is published') {
            const rows = await month.published()
            const { file, part } = rows[Math.floor(one.at * rows.length)] ?? {}
            const where = (one.at * 7_919) % 1
            await month.change((row) =>
              row.file === file && row.part === part ? damaged(row, where, one.at < 0.3) : row,
            )
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
            month.waitsForRuns = one.numbers.length % 3 > 0
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
            if (month.reads.length > 0 && !month.reads.includes('month')) {
              if (hasMoved) moved++
              else saved++
            }
          }
        }
        await month.thaw()
        await month.stop()
      },
    ),
    { numRuns: cases(4, 40) },
  )
  t.ok(saved + moved > 0, 'snapshots were used, local or published')
})
