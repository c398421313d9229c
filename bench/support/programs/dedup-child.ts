/**
 * One measurement of deduplication in its own process, so that its peak memory is its own. Reads a `Task`
 * from its first argument and sends a `Measured` to its parent.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { Block, OUTCOME } from '../../../consumers/blocks/block.js'
import { deduplicateRows, rememberRows } from '../../../consumers/blocks/deduplicate-rows.js'
import type { ParsedRecord } from '../../../consumers/blocks/parse-record.js'
import { Deduplicator } from '../../../consumers/dedup/deduplicator.js'
import { ROW } from '../../../domain/row.js'
import { seededRandom } from '../random.js'

export type Task =
  /** Inserts rows of one month with unique ids into the table. */
  | { readonly kind: 'store'; readonly path: string; readonly ids: number }
  /** Blocks of ids in memory alone. */
  | { readonly kind: 'memory'; readonly path: string; readonly ids: number; readonly budgetMb: number }
  /** A takeover of what is stored, then blocks with some stored ids. */
  | { readonly kind: 'stored'; readonly path: string; readonly blocks: number; readonly budgetMb: number }

export interface Measured {
  readonly ids: number
  readonly idsPerSecond: number
  /** All threads, also the engine's. */
  readonly idsPerCpuSecond: number
  readonly setBytes: number
  /** Above the memory before the sets. */
  readonly peakBytes: number
  readonly fillSeconds: number
  readonly fillCpuSeconds: number
  /** The longest time the thread was blocked. */
  readonly longestHoldMs: number
  readonly askedPerBlock: number
  readonly askedInVain: number
  readonly lookUpMsPerBlock: number
  readonly exactTables: number
  readonly filterTables: number
}

const MONTH = 202607
const LOG = { id: '0190c8f1-0000-7000-8000-0000000000bb', partitions: 1 }
/** An offset after everything stored. */
const AFTER_ALL = 2 ** 40
const BLOCK_ROWS = 50_000
/** The measurement waits for all stored ids. */
const FILL_MS = 600_000
const KNOWN_SHARE = 0.03
const STORED_A_PART = 500_000

/** Writes the hash of the n-th id of the bench as four words. */
function writeHash(words: Int32Array, at: number, n: number): void {
  let state = Math.imul(n, 0x9e3779b1) ^ 0x5bf03635
  for (let i = 0; i < 4; i++) {
    state = (state + 0x6d2b79f5 + Math.imul(n, i)) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    words[at + i] = mixed ^ (mixed >>> 15)
  }
  // The mixing above maps 32 bits one to one, so no two ids are equal.
}

/** A block whose rows contain only hashes. */
class HashBlock {
  private readonly words = new Int32Array((BLOCK_ROWS * ROW.fixedBytes) / 4)
  private readonly payload = new Uint8Array(this.words.buffer)
  private readonly view = new DataView(this.words.buffer)

  fill(hashOf: (words: Int32Array, at: number, row: number) => void): { block: Block; record: ParsedRecord } {
    for (let row = 0; row < BLOCK_ROWS; row++)
      hashOf(this.words, (row * ROW.fixedBytes + ROW.insertHash) / 4, row)
    const { payload, view } = this
    const head = { offset: 0, payload, view, events: undefined, problem: '', month: MONTH }
    const record = { ...head, firstRow: 0, endRow: BLOCK_ROWS }
    const block = new Block(0, 1, [record], BLOCK_ROWS)
    block.rowCount = BLOCK_ROWS
    for (let row = 0; row < BLOCK_ROWS; row++) block.starts[row] = row * ROW.fixedBytes
    return { block, record }
  }
}

async function deduplicate(seen: Deduplicator, made: { block: Block; record: ParsedRecord }) {
  const { block, record } = made
  const started = performance.now()
  const cpu = process.cpuUsage()
  const months = await seen.idsOf(0, [MONTH], AFTER_ALL)
  const ids = months.get(MONTH)
  if (ids === undefined) throw new Error('no ids of the month')
  ids.pending.reset(block.rowLimit)
  deduplicateRows(block, record, ids)
  const asked = [...ids.doubtful]
  const asking = performance.now()
  const duplicates = await seen.findDuplicates(block.hashes, 0, months, AFTER_ALL, false)
  for (const row of duplicates) block.outcomes[row] = OUTCOME.duplicate
  const lookUpMs = performance.now() - asking
  rememberRows(block, record, ids.seen)
  await seen.evict(new Set(months.values()))
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const isDuplicate = (row: number) => block.outcomes[row] === OUTCOME.duplicate
  return {
    ms,
    cpuMs: (user + system) / 1_000,
    lookUpMs,
    asked: asked.length,
    inVain: asked.filter((row) => !isDuplicate(row)).length,
    duplicates: block.counts().duplicates,
    forms: ids.seen.forms(),
  }
}

/** Counts a run's results and compares them with the expected ones. */
class Run {
  private ms = 0
  private cpuMs = 0
  private lookUpMs = 0
  private asked = 0
  private inVain = 0
  private blocks = 0
  private forms = { exact: 0, filter: 0 }
  private readonly before = process.memoryUsage().rss
  private peak = this.before
  fillSeconds = 0
  fillCpuSeconds = 0

  constructor(private readonly seen: Deduplicator) {}

  async add(made: { block: Block; record: ParsedRecord }, known: number): Promise<void> {
    const done = await deduplicate(this.seen, made)
    if (done.duplicates !== known) throw new Error(`${done.duplicates} duplicates instead of ${known}`)
    this.ms += done.ms
    this.cpuMs += done.cpuMs
    this.lookUpMs += done.lookUpMs
    this.asked += done.asked
    this.inVain += done.inVain
    this.forms = done.forms
    this.blocks++
    this.look()
  }

  look(): void {
    this.peak = Math.max(this.peak, process.memoryUsage().rss)
  }

  measured(longestHoldMs: number): Measured {
    const { entries, bytes } = this.seen.size()
    return {
      ids: entries,
      idsPerSecond: (this.blocks * BLOCK_ROWS) / (this.ms / 1_000),
      idsPerCpuSecond: (this.blocks * BLOCK_ROWS) / (this.cpuMs / 1_000),
      setBytes: bytes,
      peakBytes: this.peak - this.before,
      fillSeconds: this.fillSeconds,
      fillCpuSeconds: this.fillCpuSeconds,
      longestHoldMs,
      askedPerBlock: this.asked / this.blocks,
      askedInVain: this.inVain / (this.blocks * BLOCK_ROWS * (1 - KNOWN_SHARE)),
      lookUpMsPerBlock: this.lookUpMs / this.blocks,
      exactTables: this.forms.exact,
      filterTables: this.forms.filter,
    }
  }
}

async function measureMemory(clickhouse: ClickHouse, ids: number, budgetMb: number): Promise<Measured> {
  const blocks = new HashBlock()
  const run = new Run(new Deduplicator(clickhouse, LOG, budgetMb * 2 ** 20))
  const random = seededRandom(1)
  for (let next = 0; next < ids; ) {
    const first = next
    let known = 0
    const made = blocks.fill((words, at) => {
      const isKnown = first > 0 && random() < KNOWN_SHARE
      if (isKnown) known++
      writeHash(words, at, isKnown ? Math.floor(random() * first) : next++)
    })
    await run.add(made, known)
  }
  return run.measured(0)
}

async function measureStored(clickhouse: ClickHouse, count: number, budgetMb: number): Promise<Measured> {
  const sample: Uint8Array[] = []
  for await (const chunk of clickhouse.rowBinary('SELECT insert_hash FROM events WHERE log_offset % 40 = 0'))
    sample.push(Uint8Array.from(chunk))
  const stored = new Int32Array(Uint8Array.from(Buffer.concat(sample)).buffer)
  const seen = new Deduplicator(clickhouse, LOG, budgetMb * 2 ** 20, { fillWaitMs: FILL_MS })
  const run = new Run(seen)
  const looking = setInterval(() => run.look(), 5)
  const holds = monitorEventLoopDelay({ resolution: 5 })
  holds.enable()
  const started = performance.now()
  const cpu = process.cpuUsage()
  await seen.idsOf(0, [MONTH], AFTER_ALL)
  run.fillSeconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  run.fillCpuSeconds = (user + system) / 1e6
  holds.disable()
  clearInterval(looking)
  run.look()
  const blocks = new HashBlock()
  const random = seededRandom(2)
  let next = 0
  for (let i = 0; i < count; i++) {
    let known = 0
    const made = blocks.fill((words, at) => {
      if (random() >= KNOWN_SHARE) {
        writeHash(words, at, next++)
        return
      }
      known++
      const from = Math.floor(random() * (stored.length / 4)) * 4
      for (let word = 0; word < 4; word++) words[at + word] = stored[from + word] ?? 0
    })
    await run.add(made, known)
  }
  return run.measured(holds.max / 1e6)
}

async function store(clickhouse: ClickHouse, ids: number): Promise<void> {
  for (let from = 0; from < ids; from += STORED_A_PART)
    await clickhouse.command(
      `INSERT INTO events (workspace_id, received_at, timestamp, insert_hash, log_id, event, user_id, log_offset, properties)
      SELECT '01932b5e-0000-7000-8000-000000000001', fromUnixTimestamp64Milli(toInt64(1782864000000 + number * 40), 'UTC') AS at, at,
        reinterpretAsUInt128(sipHash128(number)), '${LOG.id}', concat('event_', toString(number % 20)), toString(number % 300000),
        number, concat('{"price":', toString(sipHash64(number) % 100000), '}')
      FROM numbers(${from}, ${Math.min(STORED_A_PART, ids - from)})`,
      {
        settings: {
          max_block_size: STORED_A_PART,
          min_insert_block_size_rows: STORED_A_PART,
          max_insert_threads: 1,
        },
      },
    )
}

const task = JSON.parse(process.argv[2] ?? '{}') as Task
const clickhouse = await openEmbeddedClickHouse({ path: task.path })
await migrateClickHouse(clickhouse)
let measured: Measured | undefined
if (task.kind === 'store') await store(clickhouse, task.ids)
else if (task.kind === 'memory') measured = await measureMemory(clickhouse, task.ids, task.budgetMb)
else measured = await measureStored(clickhouse, task.blocks, task.budgetMb)
await clickhouse.close()
process.send?.(measured ?? {}, () => process.exit(0))
