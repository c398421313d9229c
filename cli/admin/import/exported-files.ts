import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorReason } from '../../../runtime/errors.js'
import { refusedError, usageError } from '../../command-error.js'

const EXPORTED = /\.(ndjson|jsonl|json)(\.gz)?$/i

/** A file of an export, and how to note that it was imported. */
export interface ExportedFile {
  readonly path: string
  readonly noteDone: () => void
}

/** The files of an import, without those of a folder that an interrupted import has finished. */
export interface ExportedFiles {
  readonly files: readonly ExportedFile[]
  /** Files left out. */
  readonly done: number
  /** Removes the notes of an import that ended well. */
  readonly forget: () => void
}

/**
 * Resolves files and folders, each folder with all below it that end in `.ndjson`, `.jsonl` or `.json`, also
 * `.gz`. `FOLDER.svc-progress` keeps the finished files of a folder, each with its size and time of change.
 *
 * @throws CommandError for a path that cannot be read and for a folder without such files
 */
export function findExportedFiles(paths: readonly string[]): ExportedFiles {
  const files: ExportedFile[] = []
  const notes: string[] = []
  let skipped = 0
  for (const path of paths) {
    if (!isFolder(path)) {
      files.push({ path, noteDone: () => {} })
      continue
    }
    const note = `${path.replace(/\/+$/, '')}.svc-progress`
    notes.push(note)
    const done = readNote(note)
    const found = listFolder(path)
    if (found.length === 0)
      throw usageError(`no file in ${path} ends in .ndjson, .jsonl or .json, or in one of these with .gz`)
    for (const file of found) {
      const state = stateOf(file)
      if (done[file] === state) skipped++
      else
        files.push({
          path: file,
          noteDone: () => {
            done[file] = state
            writeNote(note, done)
          },
        })
    }
  }
  return {
    files,
    done: skipped,
    forget: () => {
      for (const note of notes) rmSync(note, { force: true })
    },
  }
}

function isFolder(path: string): boolean {
  // A path that is not there is reported by the reading, with its name.
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function listFolder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => EXPORTED.test(name))
    .map((name) => join(folder, name))
    .sort()
}

function stateOf(file: string): string {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs}`
}

function readNote(note: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(note, 'utf8')) as Record<string, string>
  } catch {
    // Without a note every file is imported; events that were stored before are not stored again.
    return {}
  }
}

function writeNote(note: string, done: Readonly<Record<string, string>>): void {
  try {
    writeFileSync(`${note}.new`, JSON.stringify(done))
    renameSync(`${note}.new`, note)
  } catch (error) {
    throw refusedError(`${note} cannot be written (${errorReason(error)})`)
  }
}
