import { rmSync, statfsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { PREFETCH_ROWS, SEEN } from '../../../consumers/dedup/dedup-set.js'
import { Deduplicator, type MonthIds } from '../../../consumers/dedup/deduplicator.js'
import { openIdFolder } from '../../../consumers/dedup/id-snapshot.js'
import { type OrderedHashes, orderByTable } from '../../../consumers/dedup/table-order.js'
import type { Figure } from '../../support/figures.js'

const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 1 }
const MONTH = 202611
const BLOCK_ROWS = 50_000
const ROWS = Uint32Array.from({ length: BLOCK_ROWS }, (_, row) => row)
/** One row in so many repeats one of the last million, and one in so many any earlier one. */
const REPEAT_EVERY = 32
const OLD_REPEAT_EVERY = 1_024
const RECENT = 1_000_000
/** A short time for the insert of a block, in which files are written. */
const INSERT_MS = 20
const MIB = 1024 * 1024

export interface DedupScale {
  readonly ids: number
  readonly memoryMb: number
}

/**
 * The deduplication alone: ids that are computed arrive as blocks of one partition and month, some of them
 * repeated. ClickHouse is a stand-in that knows no id and counts the questions, so every answer comes from
 * memory and the disk. Then a new process opens what was saved, and looks ids up.
 */
export async function dedupCase(root: string, { ids, memoryMb }: DedupScale): Promise<Figure[]> {
  const { bavail, bsize } = statfsSync(root)
  if (bavail * bsize < ids * 40) throw new Error(`${ids} ids need ${Math.ceil((ids * 40) / 1e9)} GB of disk`)
  const folder = await openIdFolder(root, LOG.id, new Date(Date.UTC(2026, 10, 15)))
  const store = standIn()
  const open = (): Deduplicator => {
    const deduplicator = new Deduplicator(store.clickhouse, LOG, memoryMb * MIB, { folder, logger: console })
    deduplicator.noteReplayedLetters(0, 0)
    return deduplicator
  }
  const first = open()
  const arrival = await arrive(first, ids)
  await first.evict(new Set())
  const { bytes } = first.size()
  await first.close()
  const onDisk = await sizeOf(join(folder, String(MONTH), '0'))

  const next = open()
  const opening = measure()
  const months = await next.idsOf(0, [MONTH], arrival.offset)
  const month = months.get(MONTH)
  while (month?.seen.isFilling) await sleep(5)
  const opened = opening()
  const looking = measure()
  const wrong = await lookUp(next, arrival.arrived, arrival.offset)
  const looked = looking()
  await next.close()
  rmSync(folder, { recursive: true })
  if (arrival.wrong + wrong > 0) throw new Error(`${arrival.wrong} + ${wrong} ids got a wrong answer`)
  return [
    { name: 'ids that arrived', value: arrival.rows, unit: '' },
    { name: 'a CPU second', value: arrival.rows / arrival.cpu, unit: 'ids' },
    { name: 'memory', value: bytes / arrival.arrived, unit: 'bytes/id' },
    { name: 'disk', value: onDisk / arrival.arrived, unit: 'bytes/id' },
    { name: 'looked up on the disk', value: (arrival.doubtful / arrival.rows) * 100, unit: '%' },
    { name: 'questions to ClickHouse about rows', value: store.questions(), unit: '' },
    { name: 'restart until all ids are known', value: opened.seconds, unit: 's' },
    { name: 'restart until all ids are known, CPU', value: opened.cpu, unit: 'CPU s' },
    { name: 'old ids found after the restart', value: LOOKED_UP / looked.cpu, unit: 'ids/CPU s' },
  ]
}

const LOOKED_UP = 200_000

async function arrive(deduplicator: Deduplicator, ids: number) {
  const total = measure()
  const hashes = new Int32Array(BLOCK_ROWS * 4)
  let [arrived, rows, offset, doubtful, wrong] = [0, 0, 0, 0, 0]
  while (arrived < ids) {
    const repeats: number[] = []
    const from = arrived
    for (let row = 0; row < BLOCK_ROWS; row++) {
      const n = idOf(row, arrived, from)
      if (n < arrived) repeats.push(row)
      else arrived++
      putHash(hashes, row, n)
    }
    rows += BLOCK_ROWS
    const months = await deduplicator.idsOf(0, [MONTH], offset)
    const ids = months.get(MONTH)
    if (ids === undefined) throw new Error('no ids')
    const ordered = orderByTable(hashes, ROWS)
    const duplicates = new Set(ask(ids, ordered))
    doubtful += ids.doubtful.length
    for (const row of await deduplicator.findDuplicates(hashes, 0, months, offset, false)) duplicates.add(row)
    wrong += repeats.filter((row) => !duplicates.has(row)).length + duplicates.size - repeats.length
    offset++
    remember(ids, ordered, duplicates, offset)
    await deduplicator.evict(new Set(months.values()))
    await deduplicator.committed(0, offset, 0)
    await sleep(INSERT_MS)
    if (rows % (BLOCK_ROWS * 200) === 0)
      process.stderr.write(`  ${arrived / 1e6} million, ${Math.round(rows / total().cpu)} a CPU second\n`)
  }
  return { arrived, rows, offset, doubtful, wrong, ...total() }
}

/** The number of the id that comes now. Repeats are of earlier blocks. */
function idOf(row: number, arrived: number, from: number): number {
  if (from === 0) return arrived
  if (row % OLD_REPEAT_EVERY === 1) return (row * 2_654_435_761 + from * 7) % from
  if (row % REPEAT_EVERY === 3) return from - 1 - ((row * 40_503) % Math.min(from, RECENT))
  return arrived
}

function ask({ seen, doubtful }: MonthIds, { rows, hashes }: OrderedHashes): number[] {
  const duplicates: number[] = []
  for (const [place, row] of rows.entries()) {
    if (place % PREFETCH_ROWS === 0)
      seen.prefetchAll(hashes, place, Math.min(place + PREFETCH_ROWS, rows.length))
    const at = place * 4
    const known = seen.has(hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0, hashes[at + 3] ?? 0)
    if (known === SEEN.yes) duplicates.push(row)
    else if (known === SEEN.maybe) doubtful.push(row)
  }
  return duplicates
}

function remember(
  { seen }: MonthIds,
  { rows, hashes }: OrderedHashes,
  duplicates: Set<number>,
  offset: number,
): void {
  for (const [place, row] of rows.entries()) {
    if (place % PREFETCH_ROWS === 0)
      seen.prefetch(hashes, place, Math.min(place + PREFETCH_ROWS, rows.length))
    if (duplicates.has(row)) continue
    const at = place * 4
    seen.add(hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0, hashes[at + 3] ?? 0)
  }
  seen.storedBelow = offset
  seen.newest = { words: [1], receivedAt: 0 }
}

/** How many of some ids from all times are not found, and how many of new ones are. */
async function lookUp(deduplicator: Deduplicator, arrived: number, offset: number): Promise<number> {
  let wrong = 0
  const hashes = new Int32Array(BLOCK_ROWS * 4)
  for (let block = 0; block < LOOKED_UP / BLOCK_ROWS; block++) {
    // Every second one is new.
    for (let row = 0; row < BLOCK_ROWS; row++)
      putHash(
        hashes,
        row,
        row % 2 === 0 ? (row * 2_654_435_761 + block * 977) % arrived : arrived + block * BLOCK_ROWS + row,
      )
    const months = await deduplicator.idsOf(0, [MONTH], offset)
    const ids = months.get(MONTH)
    if (ids === undefined) throw new Error('no ids')
    const duplicates = new Set(ask(ids, orderByTable(hashes, ROWS)))
    for (const row of await deduplicator.findDuplicates(hashes, 0, months, offset, false)) duplicates.add(row)
    for (let row = 0; row < BLOCK_ROWS; row++) if (duplicates.has(row) !== (row % 2 === 0)) wrong++
  }
  return wrong
}

function putHash(hashes: Int32Array, row: number, n: number): void {
  for (let word = 0; word < 4; word++)
    hashes[row * 4 + word] = mix(n % 2 ** 32, Math.floor(n / 2 ** 32) + word + 1)
}

function mix(value: number, seed: number): number {
  let mixed = Math.imul(value ^ Math.imul(seed, 0x9e3779b9), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) + seed
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  return mixed ^ (mixed >>> 15)
}

function measure(): () => { readonly cpu: number; readonly seconds: number } {
  const cpu = process.cpuUsage()
  const began = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { cpu: (user + system) / 1e6, seconds: (performance.now() - began) / 1_000 }
  }
}

/** Knows the newest id of every snapshot, and no row. */
function standIn() {
  let questions = 0
  const clickhouse = {
    schema: {},
    query: async (sql: string) => ({ rows: [{ n: sql.includes('receivedAt') ? 1 : 0 }] }),
    command: async () => {},
    rowBinary: () => {
      questions++
      return (async function* () {})()
    },
  } as unknown as ClickHouse
  return { clickhouse, questions: () => questions }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size
  return bytes
}
