import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { errorMessage, errorReason } from '../../runtime/errors.js'
import { CommandError, refusedError, usageError } from '../command-error.js'

export interface SourceLine {
  /** From 1; for a CSV row the line it starts on. */
  readonly number: number
  readonly text: string
  /** Why the text is not what the file has. */
  readonly problem?: string | undefined
}

/** A place in the uncompressed content, at the end of a line. */
export interface ContentPosition {
  readonly bytes: number
  /** Of the content up to here. */
  readonly sha256: string
}

export const NOT_UTF8 = 'is not UTF-8 text'

/** Longer than any valid event. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const NEWLINE = 0x0a
const LINE_END = Buffer.of(NEWLINE)

export interface EventInput {
  readonly name: string
  /** Undefined for standard input. */
  readonly size: number | undefined
  /** Since the last `open`. */
  bytesRead(): number
  /** The uncompressed content in chunks. */
  open(): AsyncIterable<Uint8Array>
}

/** Opens a file, uncompressing `.gz`; `-` is standard input. Throws CommandError if it cannot be read. */
export function openSource(file: string): EventInput {
  let read = 0
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    read = 0
    for await (const chunk of chunks) {
      read += chunk.length
      yield chunk
    }
  }
  if (file === '-')
    return {
      name: 'standard input',
      size: undefined,
      bytesRead: () => read,
      open: () => counted(process.stdin),
    }
  let size: number
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw usageError(`${file} is not a file`)
    size = stat.size
    refusePacked(file)
  } catch (error) {
    if (error instanceof CommandError) throw error
    const code = errorReason(error)
    throw usageError(code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`)
  }
  return {
    name: file,
    size,
    bytesRead: () => read,
    open: () => (file.endsWith('.gz') ? unpack(file, counted(readFile(file))) : counted(readFile(file))),
  }
}

const PACKED: readonly (readonly [start: string, kind: string, advice: string])[] = [
  ['504b0304', 'a zip archive', 'unpack it, and give what was in it'],
  ['28b52ffd', 'packed by zstd', 'unpack it with zstd -d'],
  ['50415231', 'a Parquet file', 'export JSON lines'],
]

/** A file that is packed but not by gzip would be refused line by line, without a reason that helps. */
function refusePacked(file: string): void {
  const descriptor = openSync(file, 'r')
  const start = Buffer.alloc(4)
  try {
    readSync(descriptor, start)
  } finally {
    closeSync(descriptor)
  }
  for (const [bytes, kind, advice] of PACKED)
    if (start.toString('hex') === bytes) throw usageError(`${file} is ${kind}: ${advice}`)
  if (start.toString('hex').startsWith('1f8b') && !file.endsWith('.gz'))
    throw usageError(`${file} is packed by gzip: end its name in .gz`)
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) yield chunk as Buffer
  } catch (error) {
    throw refusedError(`${file} cannot be read (${errorReason(error)})`)
  }
}

async function* unpack(file: string, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import('node:zlib')
  const { Readable, pipeline } = await import('node:stream')
  // Errors are thrown by the iteration below.
  const plain = pipeline(Readable.from(packed), createGunzip(), () => {})
  try {
    for await (const chunk of plain) yield chunk as Buffer
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw refusedError(`${file} is damaged: ${errorMessage(error)}`)
  }
}

/** Counts and hashes lines as they are read. */
export class ContentHash {
  private readonly hash = createHash('sha256')
  bytes = 0

  /** @param length of the line in bytes, of which a long line has only the first ones in `bytes` */
  addLine(bytes: Uint8Array, length: number): void {
    this.hash.update(bytes).update(LINE_END)
    this.bytes += length + LINE_END.length
  }

  position(): ContentPosition {
    return { bytes: this.bytes, sha256: this.hash.copy().digest('hex') }
  }
}

/**
 * Splits UTF-8 into lines. A line that is too long is truncated and has a problem, as has one in another
 * encoding.
 *
 * @param content counts each line with its end, also the last one, which may lack it: so a file that ended
 *   within a line differs from the file with the whole line
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  content?: ContentHash,
): AsyncGenerator<SourceLine> {
  let pieces: Uint8Array[] = []
  let length = 0
  let number = 1
  const keep = (piece: Uint8Array): void => {
    if (length < MAX_LINE_BYTES) pieces.push(piece)
    length += piece.length
  }
  const take = (): SourceLine => {
    const bytes = Buffer.concat(pieces)
    const problem = problemOf(bytes, length)
    content?.addLine(bytes, length)
    const text = bytes.toString('utf8').replace(/\r$/, '')
    pieces = []
    length = 0
    return { number: number++, text: number === 2 ? text.replace(/^\ufeff/, '') : text, problem }
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, to))
      from = to + 1
      yield take()
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
  if (length > 0) yield take()
}

function problemOf(bytes: Buffer, length: number): string | undefined {
  if (length > MAX_LINE_BYTES) return 'is longer than 4 MiB'
  // UTF-16 has NUL bytes.
  return isUtf8(bytes) && !bytes.includes(0) ? undefined : NOT_UTF8
}
