import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { v7 } from 'uuid'
import { quote } from '../../clickhouse/literal.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { shardsOf } from '../../clickhouse/shards.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { DamagedRunError, filterBytes, filterLength, type RunInfo } from './id-run.js'
import { formatIdSnapshot, type IdSnapshot, parseIdSnapshot } from './id-snapshot.js'

/** Of a filter, in one row. */
const CHUNK_BYTES = 4 * 1024 * 1024
/** Room for a chunk in base64, in a statement. */
const STATEMENT_BYTES = 8 * 1024 * 1024
const STATEMENT_MS = 60_000
/** Another owner may be about to name a younger file. */
const REMOVED_AFTER_SECONDS = 3_600
const MINE = 'log_id = {log:UUID} AND log_partition = {partition:UInt16} AND month = {month:UInt32}'

/** A partition of the log, and a month. */
export interface PublishedScope {
  readonly partition: number
  readonly month: number
}

export interface PublishedSnapshot extends IdSnapshot {
  /** Its name in the table. */
  readonly file: string
}

interface PublishedFile {
  readonly file: string
  readonly parts: number
  readonly isOld: number
}

/**
 * Snapshots in ClickHouse, for an owner without the files of the one before. They name filters only: an id
 * that passes one is decided by ClickHouse. One shard holds all of them.
 *
 * A snapshot stays true for as long as its log lasts, also if it is published late, under a later owner: it
 * knows all ids below an offset that Postgres had committed, and later owners store below that offset only
 * dead letters, which Postgres counts.
 */
export class PublishedIds {
  private readonly store: ClickHouse

  constructor(
    clickhouse: ClickHouse,
    private readonly logId: string,
    private readonly chunkBytes = CHUNK_BYTES,
  ) {
    this.store = shardsOf(clickhouse)[0] ?? clickhouse
  }

  /** The snapshots of a scope, those with the highest offset first. Damaged ones are left out. */
  async read(scope: PublishedScope): Promise<readonly PublishedSnapshot[]> {
    const { rows } = await this.store.query<{ file: string; content: string }>(
      `SELECT file, content FROM id_filters WHERE ${MINE} AND kind = 'snapshot'`,
      { params: this.params(scope) },
    )
    return rows
      .flatMap(({ file, content }) => {
        const snapshot = parseIdSnapshot(content)
        return snapshot === undefined ? [] : { ...snapshot, file }
      })
      .sort((a, b) => b.below - a.below)
  }

  /** Fills arrays with the bytes of a published filter, one after the other. */
  reader(scope: PublishedScope, info: RunInfo): (bytes: Uint8Array) => Promise<void> {
    let part = 0
    let next = this.requestChunk(scope, info, 0)
    let chunk: Uint8Array = new Uint8Array(0)
    return async (bytes) => {
      for (let filled = 0; filled < bytes.length; ) {
        if (chunk.length === 0) {
          chunk = await next
          next = this.requestChunk(scope, info, ++part)
        }
        const length = Math.min(chunk.length, bytes.length - filled)
        bytes.set(chunk.subarray(0, length), filled)
        chunk = chunk.subarray(length)
        filled += length
      }
    }
  }

  /** Requests a chunk ahead. A failure is thrown to the reader. */
  private requestChunk(scope: PublishedScope, info: RunInfo, part: number): Promise<Uint8Array> {
    const length = Math.min(this.chunkBytes, filterLength(info) - part * this.chunkBytes)
    const chunk = length > 0 ? this.readChunk(scope, info, part, length) : Promise.resolve(new Uint8Array(0))
    // The reader awaits it, but maybe only later.
    chunk.catch(() => {})
    return chunk
  }

  private async readChunk(
    scope: PublishedScope,
    { file }: RunInfo,
    part: number,
    length: number,
  ): Promise<Uint8Array> {
    const answer = this.store.rowBinary(
      `SELECT content FROM id_filters
       WHERE ${MINE} AND kind = 'filter' AND file = {file:String} AND part = {part:UInt32} LIMIT 1`,
      { params: { ...this.params(scope), file, part } },
    )
    const chunks: Uint8Array[] = []
    for await (const bytes of answer) chunks.push(Buffer.from(bytes))
    const bytes = Buffer.concat(chunks)
    // The length comes first, seven bits in a byte.
    const from = Math.ceil(Math.log2(length + 1) / 7)
    if (bytes.length !== from + length) throw new DamagedRunError(`a chunk of ${file} is missing or damaged`)
    return bytes.subarray(from)
  }

  /**
   * Publishes a snapshot with the filters of its runs, and removes what it supersedes. Publishes nothing if a
   * filter of an earlier owner is gone.
   *
   * @param folder of the runs
   * @throws ClickHouseError
   * @throws DamagedRunError if a file of a run is not what was written
   */
  async publish(
    scope: PublishedScope,
    folder: string,
    snapshot: IdSnapshot,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted()
    const files: FileHandle[] = []
    try {
      // From here on, merges may remove them.
      for (const { file } of snapshot.runs) files.push(await open(join(folder, file), 'r'))
      const published = await this.files(scope)
      const isThere = (info: RunInfo) =>
        published.some(({ file, parts }) => file === info.file && parts === this.partsOf(info))
      if (!snapshot.filters.every(isThere)) return
      for (const [i, info] of snapshot.runs.entries()) {
        const file = files[i]
        if (file === undefined || isThere(info)) continue
        let part = 0
        for await (const bytes of filterBytes(file, info, this.chunkBytes))
          await this.insert(scope, 'filter', info.file, part++, bytes, signal)
      }
      const filters = [...snapshot.filters, ...snapshot.runs]
      const text = Buffer.from(formatIdSnapshot({ ...snapshot, runs: [], filters }))
      await this.insert(scope, 'snapshot', v7(), 0, text, signal)
      const named = new Set(filters.map(({ file }) => file))
      for (const { file, isOld } of published)
        if (isOld === 1 && !named.has(file)) await this.remove(file, signal)
    } finally {
      for (const file of files) await file.close()
    }
  }

  private async files(scope: PublishedScope): Promise<readonly PublishedFile[]> {
    const { rows } = await this.store.query<PublishedFile>(
      `SELECT file, uniqExact(part) AS parts, max(written_at) < now() - {seconds:UInt32} AS isOld
       FROM id_filters WHERE ${MINE} GROUP BY file`,
      { params: { ...this.params(scope), seconds: REMOVED_AFTER_SECONDS } },
    )
    return rows
  }

  private partsOf(info: RunInfo): number {
    return Math.ceil(filterLength(info) / this.chunkBytes)
  }

  private async insert(
    { partition, month }: PublishedScope,
    kind: 'snapshot' | 'filter',
    file: string,
    part: number,
    content: Uint8Array,
    signal: AbortSignal,
  ): Promise<void> {
    const base64 = Buffer.from(content.buffer, content.byteOffset, content.length).toString('base64')
    await this.store.command(
      `INSERT INTO id_filters (log_id, log_partition, month, kind, file, part, content)
       SELECT ${quote(this.logId)}, ${partition}, ${month}, ${quote(kind)}, ${quote(file)}, ${part}, base64Decode('${base64}')`,
      { settings: { max_query_size: STATEMENT_BYTES }, signal: deadlineSignal(STATEMENT_MS, signal) },
    )
  }

  remove(file: string, signal?: AbortSignal): Promise<void> {
    const limit = deadlineSignal(STATEMENT_MS, signal)
    return this.store.command(`ALTER TABLE id_filters DROP PARTITION ${quote(file)}`, { signal: limit })
  }

  private params({ partition, month }: PublishedScope) {
    return { log: this.logId, partition, month }
  }
}
