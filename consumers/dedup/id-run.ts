import { readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32c } from '@node-rs/crc32'
import {
  addToBlock,
  BLOCK_WORDS,
  BlockedBloomFilter,
  blockOf,
  filterBlocks,
  PAGE_BLOCKS,
} from './bloom-filter.js'
import type { PagePool } from './page-pool.js'
import { ID_WORDS, RUN_ID_BYTES, sortKey } from './sorted-ids.js'

/*
 * A run is a file of sorted ids that never changes:
 *
 *   filter   blocks of a `BlockedBloomFilter`, chosen by the sort key, so that they are written in order
 *   ids      twelve bytes each, by sort key
 *   index    for each bucket of some 256 ids, how many come before it, and its checksum
 *
 * Memory holds the filter and the index. An id that passes the filter is decided by one read of a bucket.
 */

/** 12.8 bits an id: one unknown id in 250 is looked up on the disk in vain. */
const IDS_A_BLOCK = 20
const BUCKET_IDS = 256
/** At least so many buckets, so that a run can be merged in small pieces. */
const MIN_BUCKET_BITS = 12
const MAX_BUCKET_BITS = 24

/** A file is not what was written. */
export class DamagedRunError extends Error {
  override readonly name = 'DamagedRunError'
}

/** Describes a file, so that it can be checked. */
export interface RunInfo {
  readonly file: string
  readonly count: number
  /** Ids that filter and index were made for. */
  readonly expected: number
  readonly checksum: number
}

/** The filter of a run, whose ids may be elsewhere. */
export class RunFilter {
  constructor(
    readonly info: RunInfo,
    protected filter: BlockedBloomFilter | undefined,
  ) {}

  /**
   * @param fill fills arrays with the bytes of filter and index, one after the other (`filterBytes`)
   * @throws DamagedRunError
   */
  static async load(
    info: RunInfo,
    pool: PagePool,
    fill: (bytes: Uint8Array) => Promise<void>,
  ): Promise<RunFilter> {
    return new RunFilter(info, (await readFilter(info, pool, fill)).filter)
  }

  get count(): number {
    return this.info.count
  }

  /** Of memory. */
  get bytes(): number {
    return this.filter?.bytes ?? 0
  }

  prefetch(w2: number, w3: number): number {
    return this.filter?.prefetch(sortKey(w2, w3)) ?? 0
  }

  /** False for most ids that are not in the run, and for none that is. */
  mayHave(w0: number, w1: number, w2: number, w3: number): boolean {
    return this.filter === undefined || this.filter.has(sortKey(w2, w3), w1, w0 >>> 16)
  }

  /** Halves the filter, or drops it, so that every id may be in the run. False if it was dropped. */
  downsample(): boolean {
    if (this.filter === undefined) return false
    if (!this.filter.fold()) this.release()
    return true
  }

  release(): void {
    this.filter?.release()
    this.filter = undefined
  }
}

export class IdRun extends RunFilter {
  /** Ids before each bucket, and at last all. */
  private readonly before: Uint32Array
  private readonly checksums: Uint32Array
  private buffer = new Uint8Array(0)

  private constructor(
    info: RunInfo,
    private readonly file: FileHandle,
    { filter, before, checksums }: FilterAndIndex,
  ) {
    super(info, filter)
    this.before = before
    this.checksums = checksums
  }

  /** @throws DamagedRunError */
  static async open(path: string, info: RunInfo, pool: PagePool): Promise<IdRun> {
    const file = await open(path, 'r')
    try {
      const { idsAt, indexAt, end } = layoutOf(info)
      if ((await file.stat()).size !== end) throw new DamagedRunError(`${path} is not ${end} bytes long`)
      let at = 0
      const fill = async (bytes: Uint8Array): Promise<void> => {
        if (at === idsAt) at = indexAt
        await readWhole(file, bytes, at)
        at += bytes.length
      }
      return new IdRun(info, file, await readFilter(info, pool, fill))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  get bucketBits(): number {
    return bucketBitsOf(this.info.expected)
  }

  override get bytes(): number {
    return super.bytes + this.before.byteLength + this.checksums.byteLength
  }

  /**
   * Reads the bucket of an id, some 3 KB.
   *
   * @throws DamagedRunError
   */
  has(w0: number, w1: number, w2: number, w3: number): boolean {
    if (!this.mayHave(w0, w1, w2, w3)) return false
    const bucket = sortKey(w2, w3) >>> (32 - this.bucketBits)
    const ids = this.readBucket(bucket)
    let low = 0
    for (let high = ids.length / ID_WORDS; low < high; ) {
      const middle = (low + high) >>> 1
      if ((ids[middle * ID_WORDS + 2] as number) >>> 0 < w2 >>> 0) low = middle + 1
      else high = middle
    }
    for (let at = low * ID_WORDS; at < ids.length && ids[at + 2] === w2; at += ID_WORDS)
      if (ids[at] === w0 && ids[at + 1] === w1) return true
    return false
  }

  /** Reads the ids of a 2^`bits`th of the run, `bits` being at most `bucketBits`. */
  async read(part: number, bits: number): Promise<Int32Array> {
    const buckets = 2 ** (this.bucketBits - bits)
    const first = part * buckets
    const from = this.before[first] as number
    const ids = new Int32Array(((this.before[first + buckets] as number) - from) * ID_WORDS)
    const bytes = bytesOf(ids)
    await readWhole(this.file, bytes, layoutOf(this.info).idsAt + from * RUN_ID_BYTES)
    for (let bucket = first; bucket < first + buckets; bucket++) {
      const begin = ((this.before[bucket] as number) - from) * RUN_ID_BYTES
      const end = ((this.before[bucket + 1] as number) - from) * RUN_ID_BYTES
      this.check(bucket, bytes.subarray(begin, end))
    }
    return ids
  }

  async close(): Promise<void> {
    this.release()
    await this.file.close()
  }

  private readBucket(bucket: number): Int32Array {
    const from = this.before[bucket] as number
    const length = ((this.before[bucket + 1] as number) - from) * RUN_ID_BYTES
    if (this.buffer.length < length) this.buffer = new Uint8Array(length * 2)
    const bytes = this.buffer.subarray(0, length)
    if (length > 0) readSync(this.file.fd, bytes, 0, length, layoutOf(this.info).idsAt + from * RUN_ID_BYTES)
    this.check(bucket, bytes)
    return new Int32Array(bytes.buffer, 0, length / 4)
  }

  private check(bucket: number, bytes: Uint8Array): void {
    if (crc32c(bytes) !== this.checksums[bucket])
      throw new DamagedRunError(`${this.info.file} is damaged in bucket ${bucket}`)
  }
}

/** Writes a run from ids that come in order. */
export class RunWriter {
  private readonly bits: number
  private readonly blocks: number
  private readonly before: Uint32Array
  private readonly checksums: Uint32Array
  private readonly page: Int32Array
  private pageNumber = 0
  private checksum = 0
  private count = 0

  private constructor(
    private readonly name: string,
    private readonly file: FileHandle,
    private readonly expected: number,
  ) {
    this.bits = bucketBitsOf(expected)
    this.blocks = filterBlocks(expected, IDS_A_BLOCK)
    this.before = new Uint32Array(2 ** this.bits + 1)
    this.checksums = new Uint32Array(2 ** this.bits)
    this.page = new Int32Array(Math.min(this.blocks, PAGE_BLOCKS) * BLOCK_WORDS)
  }

  /** @param expected at least as many ids as will come */
  static async create(path: string, name: string, expected: number): Promise<RunWriter> {
    return new RunWriter(name, await open(path, 'wx', 0o600), expected)
  }

  /** Adds ids of a table, sorted by `sortIds`. None may belong into a bucket of an earlier call. */
  async append(table: number, ids: Int32Array, count: number): Promise<void> {
    const bytes = new Uint8Array(ids.buffer, ids.byteOffset, count * RUN_ID_BYTES)
    const { idsAt } = layoutOf({ expected: this.expected, count: 0 })
    await writeWhole(this.file, bytes, idsAt + this.count * RUN_ID_BYTES)
    const w3 = table << 24
    let bucket = -1
    let begin = 0
    for (let at = 0; at < ids.length && at < count * ID_WORDS; at += ID_WORDS) {
      const key = sortKey(ids[at + 2] as number, w3)
      const block = blockOf(key, this.blocks)
      const page = Math.floor(block / PAGE_BLOCKS)
      if (page !== this.pageNumber) await this.writePages(page)
      const w0 = ids[at] as number
      addToBlock(this.page, (block % PAGE_BLOCKS) * BLOCK_WORDS, ids[at + 1] as number, w0 >>> 16)
      const next = key >>> (32 - this.bits)
      if (next === bucket) continue
      if (bucket >= 0) this.endBucket(bucket, bytes.subarray(begin, at * 4), (at * 4 - begin) / RUN_ID_BYTES)
      bucket = next
      begin = at * 4
    }
    if (bucket >= 0) this.endBucket(bucket, bytes.subarray(begin), count - begin / RUN_ID_BYTES)
    this.count += count
  }

  /** Completes the file and brings it to the disk. */
  async finish(): Promise<RunInfo> {
    await this.writePages(Math.ceil(this.blocks / PAGE_BLOCKS))
    for (let bucket = 0; bucket < this.checksums.length; bucket++)
      this.before[bucket + 1] = (this.before[bucket + 1] as number) + (this.before[bucket] as number)
    const { expected, count } = this
    let at = layoutOf({ expected, count }).indexAt
    for (const words of [this.before, this.checksums]) {
      const bytes = bytesOf(words)
      await writeWhole(this.file, bytes, at)
      at += bytes.length
      this.checksum = crc32c(bytes, this.checksum)
    }
    await this.file.datasync()
    await this.file.close()
    return { file: this.name, count, expected, checksum: this.checksum }
  }

  /** Closes the file of a run that will not be completed. */
  async abandon(): Promise<void> {
    await this.file.close()
  }

  private endBucket(bucket: number, bytes: Uint8Array, count: number): void {
    if (this.before[bucket + 1] !== 0) throw new Error('the ids of a bucket must come together')
    this.before[bucket + 1] = count
    this.checksums[bucket] = crc32c(bytes)
  }

  private async writePages(next: number): Promise<void> {
    const bytes = bytesOf(this.page)
    for (; this.pageNumber < next; this.pageNumber++) {
      await writeWhole(this.file, bytes, this.pageNumber * bytes.length)
      this.checksum = crc32c(bytes, this.checksum)
      this.page.fill(0)
    }
  }
}

function bucketBitsOf(ids: number): number {
  const bits = Math.ceil(Math.log2(Math.max(1, ids / BUCKET_IDS)))
  return Math.min(MAX_BUCKET_BITS, Math.max(MIN_BUCKET_BITS, bits))
}

function layoutOf({ expected, count }: Pick<RunInfo, 'expected' | 'count'>) {
  const idsAt = filterBlocks(expected, IDS_A_BLOCK) * BLOCK_WORDS * 4
  const indexAt = idsAt + count * RUN_ID_BYTES
  return { idsAt, indexAt, end: indexAt + (2 ** bucketBitsOf(expected) * 2 + 1) * 4 }
}

interface FilterAndIndex {
  readonly filter: BlockedBloomFilter
  readonly before: Uint32Array
  readonly checksums: Uint32Array
}

async function readFilter(
  info: RunInfo,
  pool: PagePool,
  fill: (bytes: Uint8Array) => Promise<void>,
): Promise<FilterAndIndex> {
  let checksum = 0
  const read = async (words: Int32Array | Uint32Array): Promise<void> => {
    const bytes = bytesOf(words)
    await fill(bytes)
    checksum = crc32c(bytes, checksum)
  }
  const filter = await BlockedBloomFilter.load(pool, info.expected, IDS_A_BLOCK, read)
  try {
    const buckets = 2 ** bucketBitsOf(info.expected)
    const before = new Uint32Array(buckets + 1)
    const checksums = new Uint32Array(buckets)
    await read(before)
    await read(checksums)
    if (checksum !== info.checksum || before[buckets] !== info.count)
      throw new DamagedRunError(`the filter or index of ${info.file} is damaged`)
    return { filter, before, checksums }
  } catch (error) {
    filter.release()
    throw error
  }
}

/** Memory of a run's filter alone. */
export function filterMemory({ expected }: RunInfo): number {
  return filterBlocks(expected, IDS_A_BLOCK) * BLOCK_WORDS * 4
}

/** How many bytes filter and index have together. */
export function filterLength(info: RunInfo): number {
  const { idsAt, indexAt, end } = layoutOf(info)
  return idsAt + end - indexAt
}

/**
 * The bytes of filter and index in a run's file, in chunks of a size, each valid until the next is requested.
 *
 * @throws DamagedRunError after the last one, if they are not what was written
 */
export async function* filterBytes(
  file: FileHandle,
  info: RunInfo,
  size: number,
): AsyncGenerator<Uint8Array> {
  const { idsAt, indexAt } = layoutOf(info)
  const length = filterLength(info)
  const chunk = new Uint8Array(Math.min(size, length))
  let checksum = 0
  for (let at = 0; at < length; at += size) {
    const bytes = chunk.subarray(0, Math.min(size, length - at))
    const ofFilter = Math.max(0, Math.min(bytes.length, idsAt - at))
    await readWhole(file, bytes.subarray(0, ofFilter), at)
    await readWhole(file, bytes.subarray(ofFilter), indexAt - idsAt + at + ofFilter)
    checksum = crc32c(bytes, checksum)
    yield bytes
  }
  if (checksum !== info.checksum) throw new DamagedRunError(`the filter or index of ${info.file} is damaged`)
}

function bytesOf(words: Int32Array | Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
}

async function readWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done)
    if (bytesRead === 0) throw new DamagedRunError('a file of ids ends early')
    done += bytesRead
  }
}

async function writeWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
