import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { v7 } from 'uuid'
import { ClickHouseError } from '../../clickhouse/port.js'
import { DedupSet, SEEN, type Seen, TABLES } from './dedup-set.js'
import { IdRun, RunFilter, type RunInfo, RunWriter } from './id-run.js'
import { type IdSnapshot, type NewestId, writeIdSnapshot } from './id-snapshot.js'
import type { PagePool } from './page-pool.js'
import { ID_WORDS, sortIds } from './sorted-ids.js'

/** So many runs of about one size are merged. Each id is then written once for each fourfold of the month. */
const MERGED_RUNS = 4

/** So many ids are merged in one piece: fewer would wait for the disk more often, more sort slower. */
const MERGED_IDS = 32_768
/** A piece belongs to one table. */
const TABLE_BITS = 8

const PAGE_TABLE_IDS = 4_096

/**
 * The ids of one partition and month: the newest in memory (`DedupSet`), the others in runs on the disk
 * (`IdRun`) if there is a folder for them. Of ids that another owner had, it may know only filters
 * (`RunFilter`), for which it answers `maybe`. Never answers `no` for an id that was added.
 *
 * Files are written in the background, one after the other. If the disk fails, memory keeps its ids, and the
 * set writes no more runs.
 */
export class IdSet {
  /** While stored ids are being read, the set answers `maybe` for ids that it lacks. */
  isFilling = false
  /** All stored ids below this offset are in the set, once it is filled. */
  storedBelow = 0
  /** Whether ids were added that an offset does not tell about, since the last run. */
  hasReplays = false
  newest: NewestId | undefined

  private recent: DedupSet
  /** Being written to a run. */
  private frozen: DedupSet | undefined
  /** Oldest and largest first. */
  private runs: IdRun[] = []
  private filters: RunFilter[] = []
  /** Ids below this offset are in the runs and filters; undefined if the runs have a gap. */
  private runsBelow: number | undefined
  /** Ids from this offset on are in no run. */
  private runsUpTo = 0
  private savedRuns: readonly RunInfo[] = []
  private superseded: IdRun[] = []
  private work: Promise<void> = Promise.resolve()
  private merging: Promise<void> | undefined
  private isReleased = false
  protected touched = 0

  /** @param folder of its runs */
  constructor(
    private readonly pool: PagePool,
    private folder?: string,
    private readonly onFailure: (error: unknown) => void = () => {},
  ) {
    this.recent = new DedupSet(pool)
  }

  /** Ids added. Approximate once memory is not exact. */
  get size(): number {
    return this.recent.size + (this.frozen?.size ?? 0) + this.idsInRuns
  }

  private get idsInRuns(): number {
    return [...this.runs, ...this.filters].reduce((sum, { count }) => sum + count, 0)
  }

  /** Lower bound of the ids, remembered or not. */
  get known(): number {
    return this.recent.known + (this.frozen?.size ?? 0) + this.idsInRuns
  }

  get bytes(): number {
    const runs = [...this.runs, ...this.filters].reduce((sum, { bytes }) => sum + bytes, 0)
    return this.recent.bytes + (this.frozen?.bytes ?? 0) + runs
  }

  forms() {
    return this.recent.forms()
  }

  /** Whether it knows nothing, so that filling it is of no use. */
  get isBlind(): boolean {
    return this.recent.isBlind
  }

  has(w0: number, w1: number, w2: number, w3: number): Seen {
    const known = this.inMemory(w0, w1, w2, w3)
    if (known !== SEEN.no) return known
    for (const run of this.runs) if (run.mayHave(w0, w1, w2, w3)) return SEEN.maybe
    return this.inFilters(w0, w1, w2, w3)
  }

  /**
   * Like `has`, but reads the disk if it has to, so that only ClickHouse can tell more.
   *
   * @throws DamagedRunError
   */
  find(w0: number, w1: number, w2: number, w3: number): Seen {
    const known = this.inMemory(w0, w1, w2, w3)
    if (known === SEEN.yes) return known
    for (const run of this.runs) if (run.has(w0, w1, w2, w3)) return SEEN.yes
    return known === SEEN.no ? this.inFilters(w0, w1, w2, w3) : known
  }

  private inFilters(w0: number, w1: number, w2: number, w3: number): Seen {
    for (const filter of this.filters) if (filter.mayHave(w0, w1, w2, w3)) return SEEN.maybe
    return SEEN.no
  }

  private inMemory(w0: number, w1: number, w2: number, w3: number): Seen {
    const recent = this.recent.has(w0, w1, w2, w3)
    if (recent === SEEN.yes) return recent
    const frozen = this.frozen?.has(w0, w1, w2, w3) ?? SEEN.no
    if (frozen === SEEN.yes) return frozen
    return this.isFilling ? SEEN.maybe : recent
  }

  /** Loads the memory that `add` will read, see `DedupSet.prefetch`. */
  prefetch(hashes: Int32Array, fromRow: number, endRow: number): void {
    this.recent.prefetch(hashes, fromRow, endRow)
  }

  /** Loads the memory that `has` will read too. */
  prefetchAll(hashes: Int32Array, fromRow: number, endRow: number): void {
    this.prefetch(hashes, fromRow, endRow)
    let touched = 0
    for (const list of [this.runs, this.filters])
      for (const run of list)
        for (let at = fromRow * 4; at < endRow * 4; at += 4)
          touched ^= run.prefetch(hashes[at + 2] as number, hashes[at + 3] as number)
    this.touched = touched
  }

  add(w0: number, w1: number, w2: number, w3: number): void {
    this.recent.add(w0, w1, w2, w3)
  }

  reserve(hashes: number): void {
    this.recent.reserve(hashes)
  }

  compact(): boolean {
    return this.recent.compact()
  }

  downsample(): boolean {
    return this.recent.downsample()
  }

  /**
   * Makes a filter coarser: the largest of the runs, for which the disk decides, before those for which
   * ClickHouse has to. False if none is left.
   */
  downsampleRuns(): boolean {
    const bySize = [...this.runs].sort((a, b) => b.bytes - a.bytes)
    const byBits = [...this.filters].sort((a, b) => b.bytes / b.count - a.bytes / a.count)
    return [...bySize, ...byBits].some((run) => run.downsample())
  }

  get isFreezing(): boolean {
    return this.frozen !== undefined
  }

  /** How many ids `freeze` would bring to the disk. */
  get freezable(): number {
    if (this.folder === undefined || this.frozen !== undefined || !this.recent.isExact) return 0
    return this.recent.size
  }

  /** Brings the ids in memory to the disk. New ones are added to another set at once. */
  freeze(): Promise<void> {
    if (this.freezable === 0) return this.work
    const frozen = this.recent
    this.frozen = frozen
    this.recent = new DedupSet(this.pool)
    this.hasReplays = false
    const upTo = this.storedBelow
    const below = this.isFilling ? undefined : upTo
    const done = this.enqueue(async (folder) => {
      const run = await writeRun(folder, this.pool, frozen.size, async (writer) => appendSet(writer, frozen))
      // Given up meanwhile: memory has its ids.
      if (this.isReleased || this.frozen !== frozen) return run.close()
      this.runs.push(run)
      this.frozen = undefined
      frozen.release()
      this.runsBelow = below
      this.runsUpTo = upTo
      this.startMerging(folder)
    })
    return done.catch((error: unknown) => this.giveUpDisk(error))
  }

  /**
   * Fills the set with all stored ids below an offset, as one run. False if the disk fails.
   *
   * @param append adds them to the run, in order
   * @throws ClickHouseError
   */
  async fillRun(
    expected: number,
    below: number,
    append: (writer: RunWriter) => Promise<void>,
  ): Promise<boolean> {
    try {
      await this.enqueue(async (folder) => {
        const run = await writeRun(folder, this.pool, expected, append)
        if (this.isReleased) return run.close()
        // Ids that were frozen meanwhile are newer, and memory may have some between.
        this.runsBelow = this.runs.length === 0 && this.frozen === undefined ? below : undefined
        this.runsUpTo = Math.max(this.runsUpTo, below)
        this.runs.unshift(run)
      })
    } catch (error) {
      if (error instanceof ClickHouseError) throw error
      this.giveUpDisk(error)
    }
    return this.folder !== undefined
  }

  /**
   * Opens the runs of a snapshot, and reads its filters.
   *
   * @param readFilter fills arrays with a filter's bytes, see `RunFilter.load`
   * @throws DamagedRunError
   */
  load(
    snapshot: IdSnapshot,
    readFilter: (info: RunInfo) => (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    return this.afterWork(async () => {
      const runs: IdRun[] = []
      const filters: RunFilter[] = []
      try {
        for (const info of snapshot.runs)
          runs.push(await IdRun.open(join(this.folder ?? '', info.file), info, this.pool))
        for (const info of snapshot.filters)
          filters.push(await RunFilter.load(info, this.pool, readFilter(info)))
      } catch (error) {
        await closeAll(runs, filters)
        throw error
      }
      if (this.isReleased) return closeAll(runs, filters)
      this.runs.unshift(...runs)
      this.filters.push(...filters)
      this.runsBelow = snapshot.below
      // A block that is not committed may have been frozen meanwhile.
      this.runsUpTo = Math.max(this.runsUpTo, snapshot.below)
      this.savedRuns = snapshot.runs
      this.newest = snapshot.newest
    })
  }

  /** Whether a snapshot of the runs would be new and true, once everything below `committed` is. */
  canSave(committed: number): boolean {
    const { runsBelow, runsUpTo, newest } = this
    if (runsBelow === undefined || newest === undefined || this.hasReplays || this.isFilling) return false
    return (
      runsUpTo <= committed &&
      this.frozen === undefined &&
      this.runs.some((run, i) => run.info !== this.savedRuns[i])
    )
  }

  /** Writes a snapshot and removes files that it no longer names. Undefined if there is nothing to save. */
  async save(
    about: Pick<IdSnapshot, 'partitions' | 'replayed'>,
    committed: number,
  ): Promise<IdSnapshot | undefined> {
    let saved: IdSnapshot | undefined
    await this.enqueue(async (folder) => {
      const { runsBelow: below, newest } = this
      if (!this.canSave(committed) || below === undefined || newest === undefined) return
      const runs = this.runs.map(({ info }) => info)
      const filters = this.filters.map(({ info }) => info)
      // Those that are merged from here on are named by this snapshot.
      const superseded = this.superseded.splice(0)
      const snapshot = { ...about, below, newest, runs, filters }
      await writeIdSnapshot(folder, snapshot)
      this.savedRuns = runs
      for (const old of superseded) await rm(join(folder, old.info.file), { force: true })
      saved = snapshot
    })
    return saved
  }

  /** Frees the memory at once. From now on the set answers `maybe`. Resolves when its files are closed. */
  release(): Promise<void> {
    if (this.isReleased) return this.work
    this.isReleased = true
    this.isFilling = true
    this.recent.release()
    const runs = this.runs.splice(0)
    for (const filter of this.filters.splice(0)) filter.release()
    this.work = Promise.all([this.work, this.merging]).then(async () => {
      this.frozen?.release()
      this.frozen = undefined
      for (const run of runs) await run.close()
    })
    return this.work
  }

  /** Merges beside freezing, which appends runs, so that memory need not hold what comes meanwhile. */
  private startMerging(folder: string): void {
    this.merging ??= this.merge(folder)
      .catch((error: unknown) => this.giveUpDisk(error))
      .finally(() => {
        this.merging = undefined
      })
  }

  private async merge(folder: string): Promise<void> {
    for (let merged = this.mergeable(); merged.length > 0 && !this.isReleased; merged = this.mergeable()) {
      const total = merged.reduce((sum, { count }) => sum + count, 0)
      const append = (writer: RunWriter) => appendRuns(writer, merged, () => this.isReleased)
      const run = await writeRun(folder, this.pool, total, append)
      if (this.isReleased) return run.close()
      this.runs.splice(this.runs.indexOf(merged[0] as IdRun), merged.length, run)
      this.superseded.push(...merged)
      for (const old of merged) await old.close()
    }
  }

  /** The newest runs of about one size, if they are enough. */
  private mergeable(): readonly IdRun[] {
    const most = (this.runs.at(-1)?.count ?? 0) * 2
    const first = this.runs.findLastIndex(({ count }) => count > most) + 1
    return this.runs.length - first < MERGED_RUNS ? [] : this.runs.slice(first)
  }

  private enqueue(task: (folder: string) => Promise<void>): Promise<void> {
    return this.afterWork(async () => {
      if (this.folder !== undefined) await task(this.folder)
    })
  }

  private afterWork(task: () => Promise<void>): Promise<void> {
    const done = this.work.then(async () => {
      if (!this.isReleased) await task()
    })
    // The caller gets the failure; later tasks run all the same.
    this.work = done.catch(() => {})
    return done
  }

  /** Goes on without new files. Memory gets back what was on its way to one. */
  giveUpDisk(error: unknown): void {
    if (this.isReleased) return
    this.folder = undefined
    this.onFailure(error)
    const { frozen } = this
    if (frozen === undefined) return
    for (let table = 0; table < TABLES; table++) {
      const ids = frozen.idsOfTable(table)
      for (let at = 0; at < ids.length; at += ID_WORDS)
        this.recent.add(ids[at] as number, ids[at + 1] as number, ids[at + 2] as number, table << 24)
    }
    this.frozen = undefined
    frozen.release()
  }
}

async function closeAll(runs: readonly IdRun[], filters: readonly RunFilter[]): Promise<void> {
  for (const run of runs) await run.close()
  for (const filter of filters) filter.release()
}

/** Collects ids by table, in any order, and writes them to a run in its order. */
export class RunPage {
  private readonly tables: (Int32Array | undefined)[] = []
  private readonly counts = new Uint32Array(TABLES)
  private readonly spare: Int32Array[] = []

  prefetch(): void {}

  add(w0: number, w1: number, w2: number, w3: number): void {
    const table = w3 >>> 24
    const at = (this.counts[table] as number) * ID_WORDS
    let ids = this.tables[table]
    if (ids === undefined || at === ids.length) {
      const larger = this.spare.pop() ?? new Int32Array(ID_WORDS * PAGE_TABLE_IDS)
      ids = at < larger.length ? larger : new Int32Array(at * 2)
      ids.set(this.tables[table] ?? [])
      this.tables[table] = ids
    }
    ids[at] = w0
    ids[at + 1] = w1
    ids[at + 2] = w2
    this.counts[table] = at / ID_WORDS + 1
  }

  /** Empties the page. */
  async moveTo(writer: RunWriter): Promise<void> {
    for (const [table, ids] of this.tables.entries()) {
      if (ids === undefined) continue
      await writer.append(table, ids, sortIds(ids, this.counts[table] as number))
      await nextTurn()
      this.spare.push(ids)
    }
    this.tables.length = 0
    this.counts.fill(0)
  }
}

/** Adds the ids of an exact set to a run. */
export async function appendSet(writer: RunWriter, set: DedupSet): Promise<void> {
  for (let table = 0; table < TABLES; table++) {
    const ids = set.idsOfTable(table)
    if (ids.length === 0) continue
    await writer.append(table, ids, sortIds(ids, ids.length / ID_WORDS))
    await nextTurn()
  }
}

async function appendRuns(writer: RunWriter, runs: readonly IdRun[], aborted: () => boolean): Promise<void> {
  const total = runs.reduce((sum, { count }) => sum + count, 0)
  const wanted = Math.ceil(Math.log2(total / MERGED_IDS))
  const bits = Math.min(Math.max(TABLE_BITS, wanted), ...runs.map(({ bucketBits }) => bucketBits))
  for (let part = 0; part < 2 ** bits; part++) {
    if (aborted()) throw new Error('the set was released')
    const parts = await Promise.all(runs.map((run) => run.read(part, bits)))
    const ids = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const one of parts) {
      ids.set(one, at)
      at += one.length
    }
    if (at > 0) await writer.append(part >>> (bits - TABLE_BITS), ids, sortIds(ids, at / ID_WORDS))
  }
}

async function writeRun(
  folder: string,
  pool: PagePool,
  expected: number,
  append: (writer: RunWriter) => Promise<void>,
): Promise<IdRun> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${v7()}.ids`
  const path = join(folder, name)
  const writer = await RunWriter.create(path, name, expected)
  try {
    await append(writer)
    return await IdRun.open(path, await writer.finish(), pool)
  } catch (error) {
    await writer.abandon()
    await rm(path, { force: true })
    throw error
  }
}
