import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { errorReason } from '../../runtime/errors.js'
import { CommandError, refusedError, usageError } from '../command-error.js'

export interface SourceLine {
  /** From 1; for a CSV row the line it starts on. */
  readonly number: number
  readonly text: string
}

/** Longer than any valid event. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const NEWLINE = 0x0a

export interface EventInput {
  readonly name: string
  /** Undefined for standard input. */
  readonly size: number | undefined
  bytesRead(): number
  /** The uncompressed content in chunks. */
  open(): AsyncIterable<Uint8Array>
}

/** Opens a file, uncompressing `.gz`; `-` is standard input. Throws CommandError if it cannot be read. */
export function openSource(file: string): EventInput {
  let read = 0
  const counted = (stream: Readable): Readable => {
    stream.on('data', (chunk: Buffer) => {
      read += chunk.length
    })
    stream.pause()
    return stream
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
  } catch (error) {
    if (error instanceof CommandError) throw error
    const code = errorReason(error)
    throw usageError(code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`)
  }
  return {
    name: file,
    size,
    bytesRead: () => read,
    open: () =>
      file.endsWith('.gz') ? unpack(file, counted(createReadStream(file))) : createReadFile(file, counted),
  }
}

function createReadFile(file: string, counted: (stream: Readable) => Readable): Readable {
  return counted(createReadStream(file, { highWaterMark: 256 * 1024 }))
}

async function* unpack(file: string, packed: Readable): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import('node:zlib')
  const plain = createGunzip()
  packed.on('error', (error) => plain.destroy(error))
  packed.pipe(plain)
  try {
    for await (const chunk of plain) yield chunk as Buffer
  } catch (error) {
    throw refusedError(`${file} is damaged: ${error instanceof Error ? error.message : error}`)
  }
}

/** Splits UTF-8 into lines. A line that is too long is truncated, so that the API refuses it. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceLine> {
  let pieces: Uint8Array[] = []
  let length = 0
  let number = 1
  const keep = (piece: Uint8Array): void => {
    if (length < MAX_LINE_BYTES) pieces.push(piece)
    length += piece.length
  }
  const take = (): SourceLine => {
    const text = Buffer.concat(pieces).toString('utf8').replace(/\r$/, '')
    pieces = []
    length = 0
    return { number: number++, text: number === 2 ? text.replace(/^\ufeff/, '') : text }
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
