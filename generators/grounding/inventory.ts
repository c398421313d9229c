import { descend, isElement, isText, parseHtml } from '../../variants/html/tree.js'
import {
  childOf,
  everyNode,
  expressionOf,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import { below, svelteComponentOf as svelteComponent } from '../../variants/svelte/component.js'
import { KIND, type VueNode, vueComponentOf as vueComponent } from '../../variants/vue/component.js'
import { addFacts, type CodeFacts, noFacts } from './code-facts.js'

/** An attribute in a file. `value` is its text, `null` if code computes it. */
export interface AttributeUse {
  tag: string
  name: string
  value: string | null
  source: string
  /** the type of the input that it belongs to */
  inputType?: string | undefined
}

/** All that a file shows and runs, read by the parser of its language. */
export interface Inventory {
  tags: Set<string>
  /** how often each opening tag occurs; scripts and styles with their content */
  openings: Map<string, number>
  attributes: AttributeUse[]
  passwords: number
  /** opening tags of the blocks of a component, and what blocks for plug-ins hold */
  shell: Set<string>
  code: CodeFacts
}

const empty = (): Inventory => ({
  tags: new Set(),
  openings: new Map(),
  attributes: [],
  passwords: 0,
  shell: new Set(),
  code: noFacts(),
})

/**
 * The inventory of a file, `null` for files that are not parsed.
 * @throws UnsupportedEditError if the parser cannot read it
 */
export function inventoryOf(path: string, text: string): Inventory | null {
  if (/\.html?$/i.test(path)) return ofHtml(text)
  if (/\.vue$/i.test(path)) return ofVue(text)
  if (/\.svelte$/i.test(path)) return ofSvelte(text)
  return /\.[cm]?[jt]sx?$/i.test(path) ? ofScript(text, path) : null
}

function addElement(into: Inventory, tag: string, attributes: readonly AttributeUse[], inner = ''): void {
  into.tags.add(tag)
  const inputType = attributes
    .find((one) => one.name === 'type')
    ?.value?.trim()
    .toLowerCase()
  into.attributes.push(...attributes.map((one) => ({ ...one, inputType })))
  addOpening(into, `<${tag} ${attributes.map(({ source }) => source).join(' ')}>${inner}`)
  if (inputType === 'password') into.passwords += 1
}

const addOpening = ({ openings }: Inventory, opening: string): void => {
  openings.set(opening, (openings.get(opening) ?? 0) + 1)
}

function ofHtml(text: string): Inventory {
  const into = empty()
  for (const node of descend(parseHtml(text, false), true)) {
    if (!isElement(node)) continue
    const attributes = node.attrs.map(({ name, value, prefix }) => ({
      tag: node.tagName,
      name: prefix === undefined || prefix === '' ? name : `${prefix}:${name}`,
      value,
      source: `${name}=${value}`,
    }))
    const isCode = /^(script|style)$/.test(node.tagName)
    const inner = isCode ? node.childNodes.map((one) => (isText(one) ? one.value : '')).join('') : ''
    addElement(into, node.tagName, attributes, inner)
  }
  return into
}

function ofScript(text: string, path: string): Inventory {
  const into = empty()
  addScript(into, programOf(text, syntaxOf(path)), (node) => text.slice(node.start, node.end))
  return into
}

const NAMES: Readonly<Record<string, string>> = { className: 'class', htmlFor: 'for' }

function addScript(into: Inventory, root: SourceNode, source: (node: SourceNode) => string): void {
  addFacts(into.code, root, source)
  for (const { node } of everyNode(root)) {
    if (node.type !== 'JSXOpeningElement') continue
    const name = childOf(node, 'name')
    if (name === undefined) continue
    const tag = source(name)
    const attributes = listOf(node, 'attributes').map((one): AttributeUse => {
      const named = childOf(one, 'name')
      if (named === undefined) return { tag, name: '{...}', value: null, source: source(one) }
      const written = source(named)
      return {
        tag,
        name: (NAMES[written] ?? written).toLowerCase(),
        value: writtenText(childOf(one, 'value')),
        source: withoutMarkup(one, source).replace(/\s+/g, ' '),
      }
    })
    addElement(into, tag, attributes)
  }
}

/** An attribute's source without markup in its code, whose elements are listed themselves. */
function withoutMarkup(attribute: SourceNode, source: (node: SourceNode) => string): string {
  const markup = [...everyNode(attribute)].find(({ node }) => /^JSX(Element|Fragment)$/.test(node.type))?.node
  return markup === undefined ? source(attribute) : source(attribute).replace(source(markup), '<>')
}

/** What a value says, if it is a text: `"/a"` and `{'/a'}`. */
function writtenText(value: SourceNode | undefined): string | null {
  if (value === undefined) return ''
  const inner = value.type === 'JSXExpressionContainer' ? childOf(value, 'expression') : value
  return inner?.type === 'StringLiteral' ? (textOf(inner, 'value') ?? null) : null
}

function ofVue(text: string): Inventory {
  const into = empty()
  const { descriptor, template, blocks, syntax } = vueComponent(text)
  const { script, scriptSetup, styles, customBlocks } = descriptor
  for (const block of [descriptor.template, script, scriptSetup, ...styles, ...customBlocks])
    if (block !== null) into.shell.add(`<${block.type} ${JSON.stringify(block.attrs)}>`)
  // The meaning of other blocks is up to the plug-ins of the build.
  for (const { content } of customBlocks) into.shell.add(content)
  for (const { start, end, syntax: own } of blocks)
    addScript(into, programOf(text.slice(start, end), own), (node) =>
      text.slice(start + node.start, start + node.end),
    )
  const addCode = (code: string): void => {
    try {
      addFacts(into.code, expressionOf(code, { ...syntax, jsx: false }), (node) =>
        code.slice(node.start, node.end),
      )
    } catch {
      // Code that is not a single expression has to occur in the file as it is.
      into.code.computed.add(code.replace(/\s+/g, ''))
    }
  }
  const walk = (node: VueNode): void => {
    for (const child of node.children ?? []) {
      if (child.type === KIND.interpolation)
        addCode(text.slice(child.loc.start.offset + 2, child.loc.end.offset - 2))
      if (child.type !== KIND.element) continue
      const tag = child.tag ?? ''
      const attributes = (child.props ?? []).map((one): AttributeUse => {
        const source = text.slice(one.loc.start.offset, one.loc.end.offset).replace(/\s+/g, ' ')
        if (one.type === KIND.attribute)
          return { tag, name: one.name.toLowerCase(), value: one.value?.content ?? '', source }
        if (one.exp !== undefined) addCode(text.slice(one.exp.loc.start.offset, one.exp.loc.end.offset))
        return { tag, name: source.split('=')[0]?.toLowerCase() ?? '', value: null, source }
      })
      addElement(into, tag, attributes)
      walk(child)
    }
  }
  if (template !== null) walk(template)
  return into
}

function* markupBelow(node: SourceNode): Generator<SourceNode> {
  for (const child of below(node)) {
    yield child
    yield* markupBelow(child)
  }
}

/** Blocks that show the result of code unescaped. */
const SHOWS_CODE = /^(HtmlTag|RenderTag|DebugTag|AttachTag)$/

function ofSvelte(text: string): Inventory {
  const into = empty()
  const { fragment, blocks } = svelteComponent(text)
  for (const [opening] of text.matchAll(/<(?:script|style|svelte:options)\b[^>]*>/gi)) into.shell.add(opening)
  const source = (node: SourceNode): string => text.slice(node.start, node.end)
  for (const { start, end, syntax } of blocks)
    addScript(into, programOf(text.slice(start, end), syntax), (node) =>
      text.slice(start + node.start, start + node.end),
    )
  for (const node of markupBelow(fragment)) {
    // Fragments have no offsets, so that the walk ends at the next piece of markup.
    addFacts(into.code, node, source)
    if (SHOWS_CODE.test(node.type)) into.code.computed.add(source(node).replace(/\s+/g, ''))
    const tag = textOf(node, 'name')
    if (tag === undefined || !Array.isArray(node.attributes)) continue
    const attributes = listOf(node, 'attributes').map((one): AttributeUse => {
      const written = source(one).replace(/\s+/g, ' ')
      if (one.type !== 'Attribute')
        return { tag, name: written.split('=')[0]?.toLowerCase() ?? '', value: null, source: written }
      const parts = listOf(one, 'value')
      const isText = one.value === true || (parts.length > 0 && parts.every(({ type }) => type === 'Text'))
      return {
        tag,
        name: (textOf(one, 'name') ?? '').toLowerCase(),
        value: isText ? parts.map((part) => textOf(part, 'data') ?? '').join('') : null,
        source: written,
      }
    })
    addElement(into, tag, attributes)
  }
  return into
}
