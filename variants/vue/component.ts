import {
  compileScript,
  compileTemplate,
  parse,
  type SFCDescriptor,
  type SFCScriptBlock,
} from '@vue/compiler-sfc'
import { errorMessage } from '../../runtime/errors.js'
import type { CodeBlock } from '../component/helper-block.js'
import { parsing, UnsupportedEditError } from '../dialect.js'
import { programOf, type Syntax } from '../script/syntax.js'

/** The compiler's numbers for node types. */
export const KIND = { element: 1, text: 2, comment: 3, interpolation: 5, attribute: 6, directive: 7 } as const

interface Located {
  loc: { start: { offset: number }; end: { offset: number }; source?: string }
}

export interface VueProperty extends Located {
  type: number
  name: string
  value?: ({ content: string } & Located) | undefined
  exp?: (Located & { content?: string }) | undefined
  arg?: unknown
}

/**
 * A node of a template's tree, reduced to the fields used here. Offsets count from the start of the file.
 * Read-only, because the compiler caches it.
 */
export interface VueNode extends Located {
  type: number
  tag?: string
  props?: VueProperty[]
  children?: VueNode[]
}

export interface VueComponent {
  descriptor: SFCDescriptor
  template: VueNode | null
  blocks: CodeBlock[]
  /** the block that the template sees */
  setup: CodeBlock | null
  syntax: Syntax
}

/** The parts of a component. Throws if it does not parse. */
export function vueComponentOf(text: string): VueComponent {
  const { descriptor, errors } = parsing('the component', () =>
    parse(text, { filename: 'component.vue', sourceMap: false, ignoreEmpty: false }),
  )
  const [error] = errors
  if (error !== undefined)
    throw new UnsupportedEditError(null, `the component cannot be read: ${error.message}`)
  const { template } = descriptor
  const syntax = syntaxOf((descriptor.scriptSetup ?? descriptor.script)?.lang)
  const scripts = [descriptor.script, descriptor.scriptSetup].filter(
    (block): block is SFCScriptBlock => block !== null && block.src === undefined,
  )
  const blocks = scripts.map((block) => codeBlock(text, block)).sort((a, b) => a.start - b.start)
  const plain = template !== null && template.lang === undefined && template.src === undefined
  return {
    descriptor,
    template: plain && isVueNode(template.ast) ? template.ast : null,
    blocks,
    setup: blocks.find((block) => block.start === descriptor.scriptSetup?.loc.start.offset) ?? null,
    syntax,
  }
}

/** Before compilation, a tree contains only such nodes. */
const isVueNode = (node: unknown): node is VueNode =>
  typeof node === 'object' && node !== null && 'type' in node && 'loc' in node && 'children' in node

function codeBlock(text: string, block: SFCScriptBlock): CodeBlock {
  const start = block.loc.start.offset
  const end = block.loc.end.offset
  const close = text.indexOf('>', end)
  return {
    open: text.lastIndexOf('<script', start),
    start,
    end,
    close: close < 0 ? end : close + 1,
    syntax: syntaxOf(block.lang),
  }
}

const syntaxOf = (lang: string | undefined): Syntax => ({
  typescript: lang === 'ts' || lang === 'tsx',
  jsx: lang === 'tsx' || lang === 'jsx',
})

/** Throws the compiler's errors in the template and the parser's errors in the code. */
export function compile(text: string): void {
  const { descriptor, blocks, template } = vueComponentOf(text)
  for (const { start, end, syntax } of blocks) programOf(text.slice(start, end), syntax)
  if (descriptor.template === null || template === null) return
  const source = descriptor.template.content
  const typescript = blocks.some(({ syntax }) => syntax.typescript)
  const { errors } = parsing('the template', () =>
    compileTemplate({
      source,
      filename: 'component.vue',
      id: 'component',
      transformAssetUrls: false,
      compilerOptions: { expressionPlugins: typescript ? ['typescript'] : [] },
    }),
  )
  const [error] = errors
  if (error !== undefined)
    throw new UnsupportedEditError(
      null,
      `the template cannot be compiled: ${(typeof error === 'string' ? error : error.message).slice(0, 500)}`,
    )
}

/**
 * Why `<script setup>` does not compile: code that the compiler moves out of it, such as that of macros, must
 * not use what stays. Undefined if it does, or if there is none.
 */
export function setupProblem(text: string): string | undefined {
  const { descriptor } = vueComponentOf(text)
  if (descriptor.scriptSetup === null) return undefined
  try {
    compileScript(descriptor, { id: 'component', sourceMap: false })
    return undefined
  } catch (error) {
    return errorMessage(error).split('\n', 1)[0]
  }
}

/** All nodes of the template. */
export function* everyVueNode(root: VueNode): Generator<{ node: VueNode; parents: VueNode[] }> {
  const stack: { node: VueNode; parents: VueNode[] }[] = [{ node: root, parents: [] }]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    yield step
    // The content of an interpolation is not a list of nodes.
    for (const child of step.node.children ?? [])
      stack.push({ node: child, parents: [...step.parents, step.node] })
  }
}
