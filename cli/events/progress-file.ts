import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorReason } from '../../runtime/errors.js'
import { refusedError, usageError } from '../command-error.js'

export interface RefusedLine {
  readonly line: number
  /** Path in the event, such as `properties.total`; empty for the event itself. */
  readonly field: string
  readonly message: string
}

/** Progress of a file: all lines up to `line` are accepted or refused. */
export interface SendProgress {
  /** Generated insertIds are derived from it. */
  readonly sendId: string
  readonly line: number
  readonly accepted: number
  readonly refused: readonly RefusedLine[]
}

interface Stored extends SendProgress {
  /** Hash of the first bytes, so that a file that only grew is recognized. */
  readonly head: { readonly bytes: number; readonly sha256: string }
}

const HEAD_BYTES = 4096

/** Stores the progress in a file beside the one that is sent. */
export class ProgressFile {
  private readonly path: string
  private head: Stored['head'] | undefined

  constructor(private readonly file: string) {
    this.path = `${file}.svc-progress`
  }

  /** Progress of an earlier run with this file; undefined if there is none. */
  read(): SendProgress | undefined {
    let text: string
    try {
      text = readFileSync(this.path, 'utf8')
    } catch {
      // No earlier sending left one.
      return undefined
    }
    const stored = parseStored(text)
    if (stored === undefined)
      throw usageError(`${this.path} was not written by svc events send: remove it to start over`)
    if (hashHead(this.file, stored.head.bytes).sha256 !== stored.head.sha256)
      throw usageError(
        `${this.path} belongs to another version of ${this.file}: remove it to send the file from its start`,
      )
    return stored
  }

  /** Throws CommandError if it cannot be written, because a resume would then send lines twice. */
  write(progress: SendProgress): void {
    this.head ??= hashHead(this.file, HEAD_BYTES)
    const draft = `${this.path}.new`
    try {
      writeFileSync(draft, `${JSON.stringify({ ...progress, head: this.head })}\n`)
      renameSync(draft, this.path)
    } catch (error) {
      const code = errorReason(error)
      throw refusedError(`${this.path} cannot be written (${code})`, undefined, [
        'try: sending from standard input, which keeps no place',
      ])
    }
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }
}

function hashHead(file: string, bytes: number): Stored['head'] {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    const read = readSync(descriptor, buffer, 0, bytes, 0)
    return { bytes: read, sha256: createHash('sha256').update(buffer.subarray(0, read)).digest('hex') }
  } finally {
    closeSync(descriptor)
  }
}

function parseStored(text: string): Stored | undefined {
  try {
    const value = JSON.parse(text) as Partial<Stored> | null
    const good =
      typeof value?.sendId === 'string' &&
      typeof value.line === 'number' &&
      typeof value.accepted === 'number' &&
      Array.isArray(value.refused) &&
      typeof value.head?.bytes === 'number' &&
      typeof value.head.sha256 === 'string'
    return good ? (value as Stored) : undefined
  } catch {
    // Not JSON: the caller refuses the file.
    return undefined
  }
}
