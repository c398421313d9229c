import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorReason } from '../../runtime/errors.js'
import { refusedError, usageError } from '../command-error.js'
import type { ContentPosition } from './source.js'

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
  /** The receiver of the lines and how they are read. Progress toward one says nothing about another. */
  readonly target: string | undefined
  readonly line: number
  /** At the end of `line` or a little further, so that another file with the same beginning is recognized. */
  readonly position: ContentPosition
  readonly accepted: number
  /** Accepted events that are older than seven days. */
  readonly old: number
  readonly refused: readonly RefusedLine[]
}

/** Stores the progress in a file beside the one that is sent. */
export class ProgressFile {
  private readonly path: string

  constructor(file: string) {
    this.path = `${file}.svc-progress`
  }

  /** Reads the progress of an earlier run, perhaps with another file of this name. */
  read(): SendProgress | undefined {
    let text: string
    try {
      text = readFileSync(this.path, 'utf8')
    } catch {
      // No earlier sending left one.
      return undefined
    }
    const stored = parseProgress(text)
    if (stored === undefined)
      throw usageError(
        `${this.path} was not written by this version of svc events send: remove it to start over`,
      )
    return stored
  }

  /** Throws CommandError if it cannot be written, because a resume would then send lines twice. */
  write(progress: SendProgress): void {
    const draft = `${this.path}.new`
    try {
      writeFileSync(draft, `${JSON.stringify(progress)}\n`)
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

function parseProgress(text: string): SendProgress | undefined {
  try {
    const value = JSON.parse(text) as Partial<SendProgress> | null
    const good =
      typeof value?.sendId === 'string' &&
      typeof value.line === 'number' &&
      typeof value.accepted === 'number' &&
      typeof value.old === 'number' &&
      Array.isArray(value.refused) &&
      typeof value.position?.bytes === 'number' &&
      typeof value.position.sha256 === 'string'
    return good ? (value as SendProgress) : undefined
  } catch {
    // Not JSON: the caller refuses the file.
    return undefined
  }
}
