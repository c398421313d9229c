import { mentionsHelper } from '../helper-name.js'
import type { TextRange } from '../mask.js'
import { mannerOf } from '../script/code.js'
import { codeBlockOf } from '../script/code-draft.js'
import { helperCall, importLine, importSplice, unusedImports } from '../script/import.js'
import { pathTo, programOf, type Syntax } from '../script/syntax.js'
import { unitsNear } from '../script/units.js'
import { lineEndOf, onlyPlaceOf, type Splice, splice } from '../text.js'

/** A code block of a component: `start` to `end` is its content, `open` to `close` includes its tags. */
export interface CodeBlock {
  open: number
  start: number
  end: number
  close: number
  syntax: Syntax
}

/** A block to create if a component has no fitting one. */
export interface NewBlock {
  at: number
  tag: string
  indent: string
  syntax: Syntax
}

/** The name by which the component calls the helper, and the insertions that this needs. */
export function bringIn(
  text: string,
  blocks: readonly CodeBlock[],
  home: CodeBlock | NewBlock,
  importPath: string,
): { call: string; inserts: Splice[] } {
  const outside = splice(
    text,
    blocks.map(({ start, end }) => ({ start, end, text: '' })),
  )
  for (const block of blocks) {
    const source = text.slice(block.start, block.end)
    if (!mentionsHelper(source)) continue
    const known = helperCall(programOf(source, block.syntax), source, '')
    if (known.isThere) return { call: known.call, inserts: [] }
  }
  const elsewhere = [
    outside,
    ...blocks.filter((block) => block !== home).map(({ start, end }) => text.slice(start, end)),
  ].join('\n')
  if ('tag' in home) {
    const { call } = helperCall(programOf('', home.syntax), '', elsewhere)
    const end = lineEndOf(text)
    const line = home.indent + importLine(call, importPath, likeOthers(text, blocks))
    const block = `<${home.tag}>${end}${line}${end}</script>${end}${end}`
    return { call, inserts: [{ start: home.at, end: home.at, text: block }] }
  }
  const length = home.end - home.start
  const { program } = codeBlockOf(text, home.start, length, home.syntax)
  const { call } = helperCall(program, text.slice(home.start, home.end), elsewhere)
  const line = importLine(call, importPath, mannerOf(text.slice(home.start, home.end), program))
  return { call, inserts: [importSplice(text, program, line, home.start, length)] }
}

function likeOthers(text: string, blocks: readonly CodeBlock[]): { quote: "'" | '"'; semicolon: boolean } {
  const [block] = blocks
  if (block === undefined) return { quote: "'", semicolon: false }
  const source = text.slice(block.start, block.end)
  return mannerOf(source, programOf(source, block.syntax))
}

/** Units around a range of code; undefined if the range is not in a block. */
export function unitsInBlocks(
  text: string,
  blocks: readonly CodeBlock[],
  range: TextRange,
): string[] | undefined {
  const block = blocks.find(({ start, end }) => start <= range.start && range.end <= end)
  if (block === undefined) return undefined
  const source = text.slice(block.start, block.end)
  const path = pathTo(programOf(source, block.syntax), range.start - block.start, range.end - block.start)
  return unitsNear(source, path).filter((unit) => typeof onlyPlaceOf(text, unit) === 'number')
}

/** A block with only the import, as written above. */
const MADE =
  /^<script( setup)?( lang="(ts|tsx|js|jsx)")?>\r?\n[ \t]*import \{ variant( as \w+)? \} from (['"])[^'"\n]*\5;?\r?\n<\/script>\r?\n\r?\n$/

/** Removes unused imports of the helper, and blocks that were created for one. */
export function takeOut(text: string, blocks: readonly CodeBlock[]): string {
  const parts = blocks.flatMap((block): Splice[] => {
    const elsewhere = splice(text, [{ start: block.start, end: block.end, text: '' }])
    const program = programOf(text.slice(block.start, block.end), block.syntax)
    const unused = unusedImports(text, program, elsewhere, block.start)
    if (unused.length === 0) return []
    const after = /^\r?\n\r?\n/.exec(text.slice(block.close))?.[0].length ?? 0
    const whole = { start: block.open, end: block.close + after, text: '' }
    return MADE.test(text.slice(whole.start, whole.end)) ? [whole] : unused
  })
  return splice(text, parts)
}
