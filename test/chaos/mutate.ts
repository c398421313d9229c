import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageRoot } from '../../runtime/package-root.js'
import { compiledRoot } from '../support/service.js'

/** A change of the compiled program: in `file` the text `from`, which must stand there exactly once, becomes `to`. */
export interface Patch {
  readonly file: string
  readonly from: string
  readonly to: string
}

export interface MutatedProgram {
  /** The folder to be used instead of the real `start`. */
  readonly programs: string
  remove(): void
}

const LEFT_OUT = new Set(['test', 'bench', 'cli', '.tsbuildinfo'])

function patched(text: string, { file, from, to }: Patch): string {
  const places = text.split(from).length - 1
  if (places !== 1) throw new Error(`${file} has ${places} places, not one, that read: ${from}`)
  // As a function: a `$` in the new text stands for itself.
  return text.replace(from, () => to)
}

/** Carries patches out on texts in memory only. Throws where `mutate` would. */
export function checkPatches(patches: readonly Patch[]): void {
  const texts = new Map<string, string>()
  for (const patch of patches) {
    const text =
      texts.get(patch.file) ?? readFileSync(join(packageRoot(), compiledRoot(), patch.file), 'utf8')
    texts.set(patch.file, patched(text, patch))
  }
}

/**
 * Copies the compiled program and patches the copy. It lies below the package, so that packages and schema files are found from there. Throws where a text to be
 * replaced is missing or stands there twice: the code has changed, and the mutation has to follow it.
 */
export function mutate(patches: readonly Patch[]): MutatedProgram {
  const parent = join(packageRoot(), '.build')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'mutation-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    cpSync(join(packageRoot(), compiledRoot()), folder, {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(basename(path)) && !path.endsWith('.map'),
    })
    for (const patch of patches) {
      const path = join(folder, patch.file)
      writeFileSync(path, patched(readFileSync(path, 'utf8'), patch))
    }
  } catch (error) {
    remove()
    throw error
  }
  return { programs: join(folder, 'start'), remove }
}
