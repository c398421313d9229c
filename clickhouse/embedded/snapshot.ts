import { copyFileSync, linkSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
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
 * but blocks with an open intent, and the copy is opened like the data of a machine that lost power.
 */
export function snapshotEngine(source: string, target: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      mkdirSync(target, { mode: 0o700 })
      for (const entry of readdirSync(source, { withFileTypes: true }))
        if (!LEFT_OUT.has(entry.name)) copyEntry(entry, source, target, false)
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

function copyEntry(entry: Entry, source: string, target: string, inPart: boolean): void {
  const from = join(source, entry.name)
  const to = join(target, entry.name)
  if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (entry.isDirectory()) {
    const entries = readdirSync(from, { withFileTypes: true })
    const isPart = inPart || entries.some(({ name }) => name === 'checksums.txt')
    mkdirSync(to, { mode: 0o700 })
    for (const child of entries)
      if (isPart || !UNFINISHED.test(child.name)) copyEntry(child, from, to, isPart)
  } else if (inPart) linkOrCopy(from, to)
  else copyFileSync(from, to)
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
