import { compile, parse } from 'svelte/compiler'
import type { CodeBlock } from '../component/helper-block.js'
import { parsing, UnsupportedEditError } from '../dialect.js'
import { childOf, isNode, listOf, programOf, type SourceNode, textOf } from '../script/syntax.js'

export const BOM = '\ufeff'

export interface SvelteParts {
  /** the markup as the compiler's nodes; offsets count from the start of the text */
  fragment: SourceNode
  instance: CodeBlock | null
  module: CodeBlock | null
  blocks: CodeBlock[]
  typescript: boolean
}

/** Replaces styles by spaces: the compiler cannot parse those of preprocessors. */
const withoutStyles = (text: string): string =>
  text.replace(
    /(<style\b[^>]*>)([\s\S]*?)(<\/style)/gi,
    (_, open: string, styles: string, close: string) => open + styles.replace(/[^\r\n]/g, ' ') + close,
  )

/**
 * The parts of a component. The text must have no byte order mark, because the compiler removes it and shifts
 * all offsets.
 */
export function svelteComponentOf(text: string): SvelteParts {
  const root: unknown = parsing('the component', () => parse(withoutStyles(text), { modern: true }))
  const fragment = isRecord(root) ? root.fragment : undefined
  if (!isRecord(root) || !isRecord(fragment))
    throw new UnsupportedEditError(null, 'the component cannot be read')
  const instance = codeBlock(text, root.instance)
  const module = codeBlock(text, root.module)
  const blocks = [instance, module].filter((block) => block !== null).sort((a, b) => a.start - b.start)
  for (const { start, end, syntax } of blocks) programOf(text.slice(start, end), syntax)
  return {
    fragment: { ...fragment, type: 'Fragment', start: 0, end: text.length },
    instance,
    module,
    blocks,
    typescript: blocks.some(({ syntax }) => syntax.typescript),
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function codeBlock(text: string, script: unknown): CodeBlock | null {
  if (!isNode(script)) return null
  const start = childOf(script, 'content')?.start
  if (start === undefined) return null
  const lang = listOf(script, 'attributes').find((attribute) => textOf(attribute, 'name') === 'lang')
  const typescript = lang !== undefined && /["'=]ts["']?$|typescript/.test(text.slice(lang.start, lang.end))
  return {
    open: script.start,
    start,
    end: text.lastIndexOf('</script', script.end),
    close: script.end,
    syntax: { typescript, jsx: false },
  }
}

/** Throws the compiler's errors that the parser does not report. */
export function assertSvelteCompiles(text: string): void {
  parsing('the component', () =>
    compile(withoutStyles(text), { generate: false, filename: 'Component.svelte' }),
  )
}

/** The nodes of a fragment, which has no position itself. */
export function nodesIn(fragment: unknown): SourceNode[] {
  return isRecord(fragment) && Array.isArray(fragment.nodes) ? fragment.nodes.filter(isNode) : []
}

const FRAGMENTS = ['fragment', 'consequent', 'alternate', 'body', 'fallback', 'pending', 'then', 'catch']

/** The child nodes of a piece of markup. */
export const below = (node: SourceNode): SourceNode[] => [
  ...nodesIn(node),
  ...FRAGMENTS.flatMap((field) => nodesIn(node[field])),
]
