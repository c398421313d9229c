import { guardProblem } from './guarded-paths.js'
import { folderOf, foldersOf } from './names.js'
import type { TreeEntry } from './port.js'

export interface PathRules {
  /** Globs of `--allow`: guarded paths that may be written. They do not lift the other rules. */
  readonly allow: readonly string[]
  /** The entries of the commit on the way to the path. Left out if no repository is connected. */
  readonly entries?: ReadonlyMap<string, TreeEntry> | undefined
}

/**
 * Why an experiment may not write to a path; undefined if it may. Never outside the repository, through a
 * symbolic link, into git's own files or a submodule. Only pages, sources, styles and assets, unless a glob
 * allows more: a push runs the CI of the repository before anybody reviews it.
 */
export function pathProblem(path: string, rules: PathRules): string | undefined {
  return placeProblem(path, rules.entries) ?? guardProblem(path, rules.allow)
}

const MAX_PATH_BYTES = 1024
const MAX_NAME_BYTES = 255

/** Why a path can never be written, whatever the workspace allows. */
export function placeProblem(
  path: string,
  entries: ReadonlyMap<string, TreeEntry> | undefined,
): string | undefined {
  return shapeProblem(path) ?? (entries === undefined ? undefined : entryProblem(path, entries))
}

function shapeProblem(path: string): string | undefined {
  if (path === '') return 'it names no file'
  if (/\p{Cs}/u.test(path)) return 'its name is no Unicode text'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`
  if (/\p{Cc}/u.test(path)) return 'it has control characters'
  if (path.includes('\\')) return 'it has a backslash: names are parted by /'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'it is absolute: name it from the root of the repository'
  for (const name of path.split('/')) {
    const problem = nameProblem(name)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Format and bidi characters, separators of lines and paragraphs, and what fonts leave out. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
/** With any ending. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)\d) *(\.|:|$)/i

/** Whether a file cannot have this name on Windows, with or without an ending. */
export const isWindowsDevice = (name: string): boolean => WINDOWS_DEVICE.test(name)

function nameProblem(name: string): string | undefined {
  if (name === '') return 'it has an empty name between two /'
  if (name === '.' || name === '..') return `it goes through ${name}`
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    return `one of its names is longer than ${MAX_NAME_BYTES} bytes`
  if (isGitName(name)) return "it belongs to git's own files"
  if (UNSEEN.test(name))
    return 'one of its names has characters that are not shown or that turn the text around'
  if (isWindowsDevice(name.normalize('NFKC'))) return `${name} is a device on Windows`
  if (/[ .]$/.test(name)) return 'one of its names ends in a dot or a space, which other systems drop'
  return undefined
}

/**
 * Names that file systems treat as `.git` or as a related file that git reads: other case, dropped dots and
 * spaces, streams, short names, ignored characters. The plain names are guarded instead.
 */
function isGitName(name: string): boolean {
  const plain = name.toLowerCase()
  const [beforeStream = ''] = plain
    .normalize('NFKC')
    .replace(/\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split(':')
  const seen = beforeStream.replace(/[ .]+$/, '')
  return (
    seen === '.git' || (seen.startsWith('.git') && seen !== plain) || /^\.?gi[a-z0-9]{0,4}~\d+$/.test(seen)
  )
}

function entryProblem(path: string, entries: ReadonlyMap<string, TreeEntry>): string | undefined {
  for (const folder of foldersOf(path)) {
    const entry = entries.get(folder)
    if (entry === undefined || entry.kind === 'folder') continue
    if (entry.kind === 'symlink') return `${folder} is a symbolic link`
    if (entry.kind === 'submodule') return `${folder} is a submodule`
    return `${folder} is a file`
  }
  const entry = entries.get(path)
  if (entry?.kind === 'symlink') return 'it is a symbolic link'
  if (entry?.kind === 'submodule') return 'it is a submodule'
  if (entry?.kind === 'folder') return 'it is a folder'
  if (entry?.unreadableName === true) return 'its name is no Unicode text'
  return entry === undefined ? newNameProblem(path, entries) : undefined
}

/** Git on Windows checks out no commit with such a name. One that is there already may be edited. */
function newNameProblem(path: string, entries: ReadonlyMap<string, TreeEntry>): string | undefined {
  const isNew = (each: string): boolean => !entries.has(each)
  const name = [...foldersOf(path), path].find((each) => isNew(each) && /[<>:"|?*]/.test(each))
  return name === undefined
    ? caseProblem(path, entries)
    : `${name} has a character that Windows does not allow in names: < > : " | ? or *`
}

/** A new name that differs from an existing one in case only: some systems can check out only one of them. */
function caseProblem(path: string, entries: ReadonlyMap<string, TreeEntry>): string | undefined {
  const wanted = new Map([...foldersOf(path), path].map((each) => [folded(each), each]))
  for (const there of entries.keys()) {
    const mine = wanted.get(folded(there))
    if (mine !== undefined && mine !== there && folderOf(mine) === folderOf(there))
      return `it differs from ${there} in case alone`
  }
  return undefined
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
