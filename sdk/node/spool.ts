import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { lockFolder } from './folder-lock.js'
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type QueuedBatch } from './memory-queue.js'

const SEGMENT = /^(\d+)\.ndjson$/
/** A segment is removed when svc has all of it. */
const MAX_SEGMENT_BYTES = 8 * 1_048_576
/** Of the file is read at once, unless an event is longer. */
const CHUNK_BYTES = 1_048_576
const POSITION = 'position'
const NEWLINE = 0x0a
/** Events begin with their id, links with the visitor. */
const ALIAS = '{"anonymousId"'

interface Waiter {
  readonly line: string
  readonly resolve: (isOnDisk: boolean) => void
}

/**
 * A queue on disk: numbered files of JSON lines, each begun by one process, and the position up to which svc
 * has them. A line is confirmed when it is synced. Bytes after the last newline of a file were torn by a
 * kill.
 */
export class Spool {
  private lock: Server | undefined
  private writing: { number: number; handle: FileHandle; end: number } | undefined
  private nextNumber = 1
  private reading = { number: 0, offset: 0 }
  private waiters: Waiter[] = []
  private work: Promise<void> | undefined
  private buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  private taken: { number: number; offset: number } | undefined
  /** Characters that are not on disk yet. */
  pendingLength = 0
  /** Lines that no batch has taken. */
  length = 0
  /** Events that an earlier process left. */
  recovered = 0
  added = 0
  settled = 0

  constructor(
    private readonly folder: string,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get isOpen(): boolean {
    return this.lock !== undefined
  }

  /**
   * Locks the folder and finds what an earlier process left. False if another process has it.
   *
   * @throws Error if the folder cannot be used
   */
  async open(): Promise<boolean> {
    mkdirSync(this.folder, { recursive: true })
    const lock = await lockFolder(this.folder)
    if (lock === undefined) return false
    try {
      const all = this.segments()
      const [number = 0, offset = 0] = this.readPosition()
      this.reading = { number, offset }
      this.nextNumber = Math.max(number, ...all) + 1
      for (const each of all) {
        if (each < number) rmSync(this.pathOf(each), { force: true })
        else this.countLines(each, each === number ? offset : 0)
      }
    } catch (error) {
      lock.close()
      throw error
    }
    this.lock = lock
    return true
  }

  /** Resolves when the line is synced; with false if the disk refused. */
  append(line: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiters.push({ line, resolve })
      this.pendingLength += line.length
      // All calls of this turn share one sync.
      this.work ??= new Promise<void>((begin) => setImmediate(begin)).then(() => this.writeAll())
    })
  }

  /** Lines that arrive while the disk syncs are synced together. */
  private async writeAll(): Promise<void> {
    while (this.waiters.length > 0) {
      const group = this.waiters
      this.waiters = []
      const text = group.map(({ line }) => `${line}\n`).join('')
      const isOnDisk = await this.write(Buffer.from(text)).catch(async (error: unknown) => {
        await this.abandonSegment()
        this.onFailure(error)
        return false
      })
      this.pendingLength -= text.length - group.length
      if (isOnDisk) {
        this.length += group.length
        this.added += group.length
      }
      for (const { resolve } of group) resolve(isOnDisk)
    }
    this.work = undefined
  }

  private async write(bytes: Buffer): Promise<true> {
    const segment = await this.segmentFor(bytes.length)
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await segment.handle.write(
        bytes,
        done,
        bytes.length - done,
        segment.end + done,
      )
      done += bytesWritten
    }
    await segment.handle.datasync()
    segment.end += bytes.length
    return true
  }

  private async segmentFor(more: number) {
    const { writing } = this
    if (writing !== undefined && (writing.end === 0 || writing.end + more <= MAX_SEGMENT_BYTES))
      return writing
    await writing?.handle.close()
    this.writing = undefined
    const number = this.nextNumber++
    const handle = await open(this.pathOf(number), 'wx')
    this.writing = { number, handle, end: 0 }
    if (process.platform !== 'win32') syncFolder(this.folder)
    return this.writing
  }

  /** Removes what a failed write has left behind the confirmed lines; later ones go into a new file. */
  private async abandonSegment(): Promise<void> {
    const { writing } = this
    this.writing = undefined
    try {
      await writing?.handle.truncate(writing.end)
      await writing?.handle.close()
    } catch {
      // The lines that remain were not confirmed. svc may get them, once.
    }
  }

  /** The next lines of one kind, if there are any. The batch before must be settled. */
  take(): QueuedBatch | undefined {
    while (this.length > 0) {
      const batch = this.read()
      if (batch !== undefined) {
        this.length -= batch.lines.length
        return batch
      }
      const next = this.segments().find((number) => number > this.reading.number)
      if (next === undefined || this.reading.number === this.writing?.number) break
      this.moveTo({ number: next, offset: 0 })
    }
    return undefined
  }

  /** Undefined at the end of the file. */
  private read(): QueuedBatch | undefined {
    const { number, offset } = this.reading
    let length = this.readInto(this.buffer, number, offset)
    let lastEnd = this.buffer.subarray(0, length).lastIndexOf(NEWLINE)
    if (lastEnd < 0 && length === this.buffer.length) {
      // An event is longer.
      this.buffer = Buffer.allocUnsafe(2 * MAX_BATCH_BYTES)
      length = this.readInto(this.buffer, number, offset)
      lastEnd = this.buffer.subarray(0, length).lastIndexOf(NEWLINE)
    }
    const lines: string[] = []
    let isAlias = false
    let from = 0
    while (from <= lastEnd && lines.length < MAX_BATCH_EVENTS && !isAlias) {
      const to = this.buffer.indexOf(NEWLINE, from)
      if (to + 1 > MAX_BATCH_BYTES && lines.length > 0) break
      const line = this.buffer.toString('utf8', from, to)
      const isLink = line.startsWith(ALIAS)
      if (isLink && lines.length > 0) break
      isAlias = isLink
      lines.push(line)
      from = to + 1
    }
    if (lines.length === 0) return undefined
    this.taken = { number, offset: offset + from }
    return { isAlias, lines, bytes: from }
  }

  private readInto(buffer: Buffer, number: number, offset: number): number {
    // Lines behind the end are not synced, or torn.
    const end = number === this.writing?.number ? this.writing.end : Number.POSITIVE_INFINITY
    const length = Math.min(buffer.length, end - offset)
    if (number === 0 || length <= 0) return 0
    const file = openSync(this.pathOf(number), 'r')
    try {
      return readSync(file, buffer, 0, length, offset)
    } finally {
      closeSync(file)
    }
  }

  /** svc has the batch: the next start goes on behind it. */
  settle(batch: QueuedBatch): void {
    this.settled += batch.lines.length
    if (this.taken !== undefined) this.moveTo(this.taken)
    this.taken = undefined
  }

  /** The batch was given up, and is left for the next start. */
  giveBack(batch: QueuedBatch): void {
    this.length += batch.lines.length
    this.taken = undefined
  }

  private moveTo(position: { number: number; offset: number }): void {
    const before = this.reading.number
    this.reading = position
    try {
      // Not synced: after a power cut svc gets some events again, and knows them by their ids.
      const path = join(this.folder, POSITION)
      writeFileSync(`${path}.new`, `${position.number} ${position.offset}\n`)
      renameSync(`${path}.new`, path)
      if (before !== position.number) rmSync(this.pathOf(before), { force: true })
    } catch (error) {
      this.onFailure(error)
    }
  }

  async close(): Promise<void> {
    await this.work
    const { writing, lock } = this
    this.writing = undefined
    this.lock = undefined
    await writing?.handle.close().catch(() => {
      // Its lines are synced.
    })
    lock?.close()
  }

  private segments(): number[] {
    const numbers = readdirSync(this.folder).flatMap((name) => {
      const number = SEGMENT.exec(name)?.[1]
      return number === undefined ? [] : [Number(number)]
    })
    return numbers.sort((a, b) => a - b)
  }

  private readPosition(): number[] {
    try {
      return readFileSync(join(this.folder, POSITION), 'utf8').split(' ').map(Number)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  private countLines(number: number, from: number): void {
    for (let offset = from, isLink: boolean | undefined; ; ) {
      const length = this.readInto(this.buffer, number, offset)
      if (length === 0) return
      const chunk = this.buffer.subarray(0, length)
      for (
        let start = 0, end = chunk.indexOf(NEWLINE);
        ;
        start = end + 1, end = chunk.indexOf(NEWLINE, start)
      ) {
        isLink ??= chunk.toString('latin1', start, start + ALIAS.length) === ALIAS
        if (end < 0) break
        if (!isLink) this.recovered++
        this.length++
        this.added++
        isLink = undefined
      }
      offset += length
    }
  }

  private pathOf(number: number): string {
    return join(this.folder, `${String(number).padStart(8, '0')}.ndjson`)
  }
}

/** The name of a new file survives a power cut. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
