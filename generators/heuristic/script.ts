import { UnsupportedEditError } from '../../variants/dialect.js'
import { programOf, type SourceNode } from '../../variants/script/syntax.js'
import type { Page } from './markup/tree.js'

export const SCRIPT = /<script\b[^>]*>([\s\S]*?)<\/script>/gi

export interface Script {
  text: string
  program: SourceNode
}

const scripts = new WeakMap<Page, Script | null>()

/** The code of a page, with the offsets of the file; `null` where it has none that can be read. */
export function scriptOf(page: Page): Script | null {
  const known = scripts.get(page)
  if (known !== undefined) return known
  const made = readScript(page)
  scripts.set(page, made)
  return made
}

function readScript({ dialect, text, path }: Page): Script | null {
  const typescript = /\.tsx$/i.test(path) || /<script\b[^>]*\blang=["']ts/i.test(text)
  let own = text
  if (dialect !== 'jsx') {
    own = ' '.repeat(text.length)
    for (const { index, 0: whole, 1: inner = '' } of text.matchAll(SCRIPT)) {
      const start = index + whole.indexOf('>') + 1
      own = own.slice(0, start) + inner + own.slice(start + inner.length)
    }
  }
  if (own.trim() === '') return null
  try {
    return { text: own, program: programOf(own, { typescript, jsx: dialect === 'jsx' }) }
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
}
