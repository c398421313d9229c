import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from '@babel/parser'
import { errorMessage } from '../../../runtime/errors.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { compiledRoot } from '../../support/service.js'
import { findThing, type Thing, type Written } from './things.js'

/**
 * A change of the compiled program: in `file`, within the function or `Class.method` of that name, a thing
 * becomes something else.
 */
export interface Patch {
  readonly file: string
  readonly within: string
  readonly thing: Thing
  readonly becomes: string | ((written: Written) => string)
}

export interface MutatedProgram {
  /** The folder to be used instead of the real `start`. */
  readonly programs: string
  remove(): void
}

const LEFT_OUT = new Set(['test', 'bench', 'cli', '.tsbuildinfo'])

function patched(source: string, { file, within, thing, becomes }: Patch): string {
  try {
    const { from, to, ...written } = findThing(source, within, thing)
    const text = typeof becomes === 'string' ? becomes : becomes(written)
    return source.slice(0, from) + text + source.slice(to)
  } catch (error) {
    throw new Error(`${file}: ${errorMessage(error)}`)
  }
}

/** Applies patches to texts in memory only. Throws if `mutate` would, or if the result is no program. */
export function checkPatches(patches: readonly Patch[]): void {
  const texts = new Map<string, string>()
  for (const patch of patches) {
    const text =
      texts.get(patch.file) ?? readFileSync(join(packageRoot(), compiledRoot(), patch.file), 'utf8')
    texts.set(patch.file, patched(text, patch))
  }
  for (const text of texts.values()) parse(text, { sourceType: 'module' })
}

/**
 * Copies the compiled program and patches the copy. The copy is below the package, so that it finds packages
 * and schema files. Throws if a thing is missing or there twice: then the code has changed, and the mutation
 * has to follow it.
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
