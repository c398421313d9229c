import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorReason } from '../../../runtime/errors.js'
import { refusedError, usageError } from '../../command-error.js'

const EXPORTED = /\.(ndjson|jsonl|json)(\.gz)?$/i

/** A file of an export, and how to note that it was imported. */
export interface ExportedFile {
  readonly path: string
  readonly noteDone: () => void
}

interface DoneFile {
  readonly file: string
  /** Its size and its time of change. */
  readonly state: string
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
      if (done.get(file) === state) skipped++
      else files.push({ path: file, noteDone: () => addToNote(note, { file, state }) })
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

/** Leaves out a line that a kill cut off: its file is imported again, and each event stored once. */
function readNote(note: string): ReadonlyMap<string, string> {
  const done = new Map<string, string>()
  let text = ''
  try {
    text = readFileSync(note, 'utf8')
  } catch {
    // Without a note every file is imported.
  }
  for (const line of text.split('\n'))
    try {
      const { file, state } = JSON.parse(line) as DoneFile
      done.set(file, state)
    } catch {
      // Also the empty text before the first line.
    }
  return done
}

function addToNote(note: string, done: DoneFile): void {
  try {
    appendFileSync(note, `\n${JSON.stringify(done)}`)
  } catch (error) {
    throw refusedError(`${note} cannot be written (${errorReason(error)})`)
  }
}
