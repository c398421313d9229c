import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorReason } from '../../../runtime/errors.js'
import { refusedError, usageError } from '../../command-error.js'

const EXPORTED = /\.(ndjson|jsonl|json)(\.gz)?$/i

/** A file of an export, and how to note that it was imported. */
export interface ExportedFile {
  readonly path: string
  /** Targets to which interrupted imports finished it, as it is now. */
  readonly doneFor: ReadonlySet<string | undefined>
  readonly noteDone: (target: string) => void
}

interface DoneFile {
  readonly file: string
  /** Its size and its time of change. */
  readonly state: string
  /** Undefined in a note of an older version. */
  readonly target?: string
}

export interface ExportedFiles {
  readonly files: readonly ExportedFile[]
  /** Removes the notes of an import that ended well. */
  readonly forget: () => void
}

/**
 * Resolves files and folders, each folder with all below it that end in `.ndjson`, `.jsonl` or `.json`, also
 * `.gz`. `FOLDER.svc-progress` keeps the finished files of a folder, each with its size, time of change and
 * target.
 *
 * @throws CommandError for a path that cannot be read and for a folder without such files
 */
export function findExportedFiles(paths: readonly string[]): ExportedFiles {
  const files: ExportedFile[] = []
  const notes: string[] = []
  for (const path of paths) {
    if (!isFolder(path)) {
      files.push({ path, doneFor: new Set(), noteDone: () => {} })
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
      files.push({
        path: file,
        doneFor: new Set(done.get(nameOf({ file, state }))),
        noteDone: (target) => addToNote(note, { file, state, target }),
      })
    }
  }
  return {
    files,
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

function nameOf({ file, state }: DoneFile): string {
  return `${state} ${file}`
}

/**
 * The targets of each finished file. Leaves out a line that a kill cut off: its file is imported again, and
 * each event stored once.
 */
function readNote(note: string): ReadonlyMap<string, readonly (string | undefined)[]> {
  const done = new Map<string, (string | undefined)[]>()
  let text = ''
  try {
    text = readFileSync(note, 'utf8')
  } catch {
    // Without a note every file is imported.
  }
  for (const line of text.split('\n'))
    try {
      const noted = JSON.parse(line) as DoneFile
      done.set(nameOf(noted), [...(done.get(nameOf(noted)) ?? []), noted.target])
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
