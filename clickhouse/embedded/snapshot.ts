import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../runtime/errors.js'

/** Below the engine's directory: its lock, and what it makes anew at each start. */
const LEFT_OUT = new Set(['status', 'tmp', 'preprocessed_configs'])
/** Parts that are being written, fetched or removed. */
const UNFINISHED = /^(tmp|delete_tmp|moving|detached)/
const ATTEMPTS = 20

/**
 * Makes a copy of an engine's data directory while the engine runs. Parts never change once they have their
 * name, so they are linked and cost no space; the few other files are copied. The engine keeps merged parts
 * for minutes, so of a part and its merge at least one is found, and it prefers the merge when both are.
 *
 * An insert that is under way may be in one table and not in another one: nothing may be inserted meanwhile
 * but blocks with an open intent, and the copy is opened like the data of a machine that lost power. Events
 * are copied last, so that they lack no row that a view has counted, as after a loss of power.
 */
export function snapshotEngine(source: string, target: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      mkdirSync(target, { mode: 0o700 })
      const events = foldersOf(source, 'events')
      const last: (() => void)[] = []
      const isLast = (folder: string, copy: () => void): boolean => events.has(folder) && last.push(copy) > 0
      for (const entry of readdirSync(source, { withFileTypes: true }))
        if (!LEFT_OUT.has(entry.name)) copyEntry(entry, source, target, { inPart: false, isLast })
      for (const copy of last) copy()
      return
    } catch (error) {
      rmSync(target, { recursive: true, force: true })
      // A part was removed between the listing and its turn: the next listing has what replaced it.
      if (errorCode(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error
    }
  }
}

interface Entry {
  readonly name: string
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** The folders of a table of this name, in any database. */
function foldersOf(engine: string, table: string): ReadonlySet<string> {
  const data = join(engine, 'data')
  const links = (existsSync(data) ? readdirSync(data) : []).map((database) => join(data, database, table))
  return new Set(links.filter((link) => existsSync(link)).map((link) => join(link, '..', readlinkSync(link))))
}

interface Place {
  readonly inPart: boolean
  /** Whether a folder is copied later, by the function. */
  readonly isLast: (folder: string, copy: () => void) => boolean
}

function copyEntry(entry: Entry, source: string, target: string, place: Place): void {
  const from = join(source, entry.name)
  const to = join(target, entry.name)
  if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (entry.isDirectory()) {
    const copy = (): void => copyFolder(from, to, place)
    if (!place.isLast(from, copy)) copy()
  } else if (place.inPart) linkOrCopy(from, to)
  else copyFileSync(from, to)
}

function copyFolder(from: string, to: string, place: Place): void {
  const entries = readdirSync(from, { withFileTypes: true })
  const inPart = place.inPart || entries.some(({ name }) => name === 'checksums.txt')
  mkdirSync(to, { mode: 0o700 })
  for (const child of entries)
    if (inPart || !UNFINISHED.test(child.name)) copyEntry(child, from, to, { ...place, inPart })
}

/** Some file systems have no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw error
    copyFileSync(from, to)
  }
}
