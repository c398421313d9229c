import { ancestors, attributeOf, descend, isElement, isText, parseHtml } from '../../variants/html/tree.js'
import {
  childOf,
  everyNode,
  expressionOf,
  isNode,
  listOf,
  programOf,
  type SourceNode,
  type Syntax,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import { below, svelteComponentOf as svelteComponent } from '../../variants/svelte/component.js'
import {
  KIND,
  type VueNode,
  type VueProperty,
  vueComponentOf as vueComponent,
} from '../../variants/vue/component.js'
import { SHOWN } from '../page/visible-text.js'
import {
  type CodeFacts,
  FREE,
  IS_MARKUP,
  LOOKS_LIKE_ADDRESS,
  noFacts,
  withoutControls,
} from './code-facts.js'
import { CodeReader } from './code-reader.js'
import { undeclaredIn } from './undeclared.js'

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
  /** by tag, the attributes that bind each of its elements to code or data */
  combinations: Map<string, Set<string>[]>
  /** texts that visitors read, with entities resolved */
  texts: Set<string>
  /** names that its scripts read and do not declare where they read them */
  undeclared: Set<string>
  code: CodeFacts
}

const empty = (): Inventory => ({
  tags: new Set(),
  openings: new Map(),
  attributes: [],
  passwords: 0,
  shell: new Set(),
  combinations: new Map(),
  texts: new Set(),
  undeclared: new Set(),
  code: noFacts(),
})

/**
 * The inventory of a page or of code.
 * @throws UnsupportedEditError if the parser cannot read it
 */
export function inventoryOf(path: string, text: string): Inventory {
  if (/\.html?$/i.test(path)) return ofHtml(text)
  if (/\.vue$/i.test(path)) return ofVue(text)
  if (/\.svelte$/i.test(path)) return ofSvelte(text)
  return ofScript(text, path)
}

function addElement(into: Inventory, tag: string, attributes: readonly AttributeUse[], inner = ''): void {
  into.tags.add(tag)
  const inputType = attributes
    .find((one) => one.name === 'type')
    ?.value?.trim()
    .toLowerCase()
  into.attributes.push(...attributes.map((one) => ({ ...one, inputType })))
  const written = attributes.filter(({ name }) => name !== 'class' || !IS_LAID_OUT.test(tag))
  addOpening(into, `<${tag} ${written.map(({ source }) => source).join(' ')}>${inner}`)
  if (inputType === 'password') into.passwords += 1
  const isLabelled = /^(submit|button)$/.test(inputType ?? '')
  const isShown = (value: string | null): boolean =>
    isLabelled || value === '' || (/^[A-Z]/.test(tag) && isSentence(value))
  const binds = attributes
    .filter(({ name, value }) => BINDS.test(name) && !(name === 'value' && isShown(value)))
    .map(({ source }) => source)
  if (tag === 'input') binds.push(inputType === 'password' ? 'as dots' : 'as letters')
  if (binds.length > 0) into.combinations.set(tag, [...(into.combinations.get(tag) ?? []), new Set(binds)])
}

/** Elements whose classes only say how they look. Consent managers read those of scripts and frames. */
const IS_LAID_OUT = /^(form|svg|video|audio)$/

/** Words that a component shows, where data would have no spaces. */
export const isSentence = (value: string | null): boolean =>
  value !== null &&
  /\p{L}.*\s|\s.*\p{L}/u.test(value) &&
  !IS_MARKUP.test(value) &&
  !LOOKS_LIKE_ADDRESS.test(withoutControls(value)) &&
  !/[{}$\\]/.test(value)

/** Attributes that say what a field holds and sends. */
const BINDS = /^(name|value|v-model.*|bind:\w+|action|method|form\w*)$/

const addOpening = ({ openings }: Inventory, opening: string): void => {
  openings.set(opening, (openings.get(opening) ?? 0) + 1)
}

/** Elements whose values a form sends. */
const FIELD = /^(input|select|textarea)$/

function ofHtml(text: string): Inventory {
  const into = empty()
  for (const node of descend(parseHtml(text, false), true)) {
    if (isText(node)) into.texts.add(node.value)
    if (!isElement(node)) continue
    const form = FIELD.test(node.tagName)
      ? ancestors(node).find(({ tagName }) => tagName === 'form')
      : undefined
    if (form !== undefined)
      into.shell.add(
        `a <${node.tagName} name=${attributeOf(node, 'name')}> of ${attributeOf(form, 'action')}`,
      )
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
  addScript(into, text, programOf(text, syntaxOf(path)))
  return into
}

const NAMES: Readonly<Record<string, string>> = { className: 'class', htmlFor: 'for' }
/** Elements and components whose content is code or style. */
const HOLDS_CODE = /^(script|style|\w*(Script|Style|JsonLd))$/

function addScript(into: Inventory, text: string, root: SourceNode): void {
  new CodeReader(into.code, text).program(root)
  for (const name of undeclaredIn(root)) into.undeclared.add(name)
  const source = (node: SourceNode): string => text.slice(node.start, node.end)
  for (const { node } of everyNode(root)) {
    const opening = node.type === 'JSXElement' ? childOf(node, 'openingElement') : undefined
    const name = childOf(opening, 'name')
    if (opening === undefined || name === undefined) continue
    const tag = source(name)
    const attributes = listOf(opening, 'attributes').map((one): AttributeUse => {
      const named = childOf(one, 'name')
      if (named === undefined) return { tag, name: '{...}', value: null, source: source(one) }
      const written = source(named)
      return {
        tag,
        name: (NAMES[written] ?? written).toLowerCase(),
        value: writtenText(childOf(one, 'value')),
        source: withoutMarkup(one, text),
      }
    })
    const children = listOf(node, 'children')
    const hasHtml = attributes.some((one) => one.name === 'dangerouslysetinnerhtml')
    if (children.length > 0 && (hasHtml || VOID.test(tag))) into.shell.add(`<${tag}> with content`)
    addElement(into, tag, attributes, HOLDS_CODE.test(tag) ? children.map(source).join('') : '')
  }
}

/** The source of an attribute without markup in its value, which is read by itself. */
function withoutMarkup(attribute: SourceNode, text: string): string {
  const inner = [...everyNode(attribute)].filter(({ node }) => /^JSX(Element|Fragment)$/.test(node.type))
  let written = ''
  let at = attribute.start
  for (const { node } of inner.sort((a, b) => a.node.start - b.node.start)) {
    if (node.start < at) continue
    written += `${text.slice(at, node.start)}<>`
    at = node.end
  }
  return (written + text.slice(at, attribute.end)).replace(/\s+/g, ' ')
}

/** React throws if they have content. */
const VOID = /^(area|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/

/** The text of a value that is a text: `"/a"` and `{'/a'}`. */
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
  for (const { start, end, syntax: own } of blocks) {
    const code = text.slice(start, end)
    addScript(into, code, programOf(code, own))
  }
  if (template !== null) vueMarkup(into, text, template, { ...syntax, jsx: false })
  return into
}

/** Attributes that bring names into a part of a template. */
const SCOPES = /^(v-for|v-slot|#)/
const DECIDES = /^v-(if|else-if|show)$/

function vueMarkup(into: Inventory, text: string, root: VueNode, syntax: Syntax): void {
  const read = (code: string, scope: string, act: (reader: CodeReader, root: SourceNode) => void): void => {
    const reader = new CodeReader(into.code, code, true)
    try {
      act(reader, expressionOf(code, syntax))
    } catch {
      // Code that is not a single expression has to occur in the file as it is.
      reader.raw(code, scope)
    }
  }
  const walk = (node: VueNode, outer: string): void => {
    for (const child of node.children ?? []) {
      if (child.type === KIND.interpolation)
        read(text.slice(child.loc.start.offset + 2, child.loc.end.offset - 2), outer, (reader, code) =>
          reader.show(code, outer),
        )
      if (child.type !== KIND.element) continue
      const tag = child.tag ?? ''
      const props = child.props ?? []
      const sourceOf = (one: VueProperty): string =>
        text.slice(one.loc.start.offset, one.loc.end.offset).replace(/\s+/g, ' ')
      const scope = props
        .map(sourceOf)
        .filter((one) => SCOPES.test(one))
        .reduce((all, one) => `${all}›${one}`, outer)
      const attributes = props.map((one): AttributeUse => {
        const source = sourceOf(one)
        if (one.type === KIND.attribute)
          return { tag, name: one.name.toLowerCase(), value: one.value?.content ?? '', source }
        const name = source.split('=')[0]?.toLowerCase() ?? ''
        const bound = name.replace(/^(:|v-bind:)/, '')
        if (one.exp !== undefined)
          read(text.slice(one.exp.loc.start.offset, one.exp.loc.end.offset), scope, (reader, code) => {
            if (DECIDES.test(name)) reader.decide(code, scope)
            else if (bound !== name && (FREE.test(bound) || (/^[A-Z]|-/.test(tag) && SHOWN.test(bound))))
              reader.show(code, scope)
            else reader.whole(`${name}=`, code, scope)
          })
        return {
          tag,
          name: DECIDES.test(name) || /^v-else$/.test(name) ? 'hidden' : FREE.test(bound) ? bound : name,
          value: null,
          source,
        }
      })
      addElement(into, tag, attributes)
      walk(child, scope)
    }
  }
  walk(root, '')
}

/** Blocks of Svelte that bring names into the markup below. */
const BLOCKS = /^(Each|Await|Key|Snippet)Block$/
/** Blocks that run code or show its result unescaped. */
const SHOWS_CODE = /^(Html|Render|Debug|Attach|Const|Declaration)Tag$/

function ofSvelte(text: string): Inventory {
  const into = empty()
  const { fragment, blocks } = svelteComponent(text)
  for (const [opening] of text.matchAll(/<(?:script|style|svelte:options)\b[^>]*>/gi)) into.shell.add(opening)
  for (const { start, end, syntax } of blocks) {
    const code = text.slice(start, end)
    addScript(into, code, programOf(code, syntax))
  }
  const reader = new CodeReader(into.code, text, true)
  const source = (node: SourceNode): string => text.slice(node.start, node.end).replace(/\s+/g, ' ')
  const walk = (parent: SourceNode, outer: string): void => {
    for (const node of below(parent)) {
      const code = childOf(node, 'expression')
      const scope = BLOCKS.test(node.type) ? `${outer}›${source(node).split('}')[0]}` : outer
      if (node.type === 'ExpressionTag' && code !== undefined) reader.show(code, outer)
      else if (SHOWS_CODE.test(node.type)) reader.whole(node.type, node, outer)
      else if (BLOCKS.test(node.type)) {
        reader.raw(source(node).split('}')[0] ?? '', outer)
        if (code !== undefined) reader.whole('block ', code, outer)
        for (const one of [childOf(node, 'context'), childOf(node, 'key')])
          if (one !== undefined) reader.whole('block ', one, scope)
      } else if (node.type === 'IfBlock') {
        const test = childOf(node, 'test')
        if (test !== undefined) reader.decide(test, outer)
      }
      const tag = textOf(node, 'name')
      if (tag !== undefined && Array.isArray(node.attributes))
        addElement(
          into,
          tag,
          listOf(node, 'attributes').map((one) => svelteAttribute(one, tag, scope, reader, source)),
        )
      walk(node, scope)
    }
  }
  walk(fragment, '')
  return into
}

function svelteAttribute(
  one: SourceNode,
  tag: string,
  scope: string,
  reader: CodeReader,
  source: (node: SourceNode) => string,
): AttributeUse {
  const written = source(one)
  if (one.type !== 'Attribute') {
    reader.whole('directive ', one, scope)
    return { tag, name: written.split('=')[0]?.toLowerCase() ?? '', value: null, source: written }
  }
  const name = (textOf(one, 'name') ?? '').toLowerCase()
  const parts = isNode(one.value) ? [one.value] : listOf(one, 'value')
  const isText = one.value === true || (parts.length > 0 && parts.every(({ type }) => type === 'Text'))
  for (const part of parts) {
    const code = childOf(part, 'expression')
    if (code === undefined) continue
    if (FREE.test(name) || (/^[A-Z]/.test(tag) && SHOWN.test(name))) reader.show(code, scope)
    else reader.whole(`${name}=`, code, scope)
  }
  return {
    tag,
    name,
    value: isText ? parts.map((part) => textOf(part, 'data') ?? '').join('') : null,
    source: written,
  }
}
