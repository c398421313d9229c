import type { CodeBlock } from '../../variants/component/helper-block.js'
import { childOf, isNode, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { below, svelteComponentOf } from '../../variants/svelte/component.js'
import { setOf } from '../lexicon/words.js'
import {
  type Constants,
  constantsIn,
  constantsWhenAsked,
  listNamesOf,
  literalOf,
  nameOf,
  type Read,
  together,
  within,
} from './constants.js'
import {
  type Attribute,
  addEither,
  addSaid,
  addShown,
  addText,
  elementAt,
  type KeyedTexts,
  type PageElement,
  type PageTree,
} from './tree.js'

const UNREAD = setOf('script style svg code pre textarea title svelte:head')

const DIRECTIVES: Readonly<Record<string, string>> = {
  OnDirective: 'on',
  BindDirective: 'bind',
  UseDirective: 'use',
}

/**
 * The markup of a component as a page. `null` for a file with a byte order mark, which shifts all offsets.
 */
export function sveltePage(path: string, text: string, words: KeyedTexts): PageTree | null {
  if (text.startsWith('\ufeff')) return null
  const { fragment, instance, module } = svelteComponentOf(text)
  const constants = constantsWhenAsked(() => {
    const own = readOf(instance, text)
    return module === null ? own : together(readOf(module, text), own)
  })
  const root = elementAt('', { start: 0, end: text.length }, null)
  walk(fragment, root, { text, constants, words })
  return { path, text, dialect: 'svelte', root, lang: null }
}

const readOf = (block: CodeBlock | null, text: string): Read =>
  block === null ? { strings: new Map(), lists: new Map() } : constantsIn(block, text)

interface Source {
  text: string
  constants: Constants
  words: KeyedTexts
}

function walk(node: SourceNode, parent: PageElement, source: Source): void {
  const { text, constants } = source
  for (const child of below(node)) {
    if (child.type === 'Comment') continue
    if (child.type === 'Text') addText(parent, text.slice(child.start, child.end), text, child)
    else if (child.type === 'ExpressionTag') {
      const expression = childOf(child, 'expression')
      const said = expression === undefined ? undefined : saidBy(expression, source)
      if (said !== undefined || !addEither(parent, text, child)) addSaid(parent, said, child)
    } else {
      const list = child.type === 'EachBlock' ? childOf(child, 'expression') : undefined
      const items = list === undefined ? undefined : constants.list(nameOf(list) ?? '')
      if (items !== undefined) {
        const code = elementAt('#code', child, parent)
        parent.children.push(code)
        const names = listNamesOf(childOf(child, 'context'))
        // The fallback of a list that is never empty is never shown.
        const each = { ...child, fallback: null }
        for (const item of items)
          walk(each, code, { ...source, constants: { ...constants, ...within(constants, item, names) } })
        continue
      }
      const isBlock = /Block$|Tag$/.test(child.type)
      const tag = isBlock ? '#code' : (textOf(child, 'name') ?? '')
      const element = elementAt(tag, child, parent)
      element.attributes = listOf(child, 'attributes').flatMap((one) => attributesOf(one, source))
      parent.children.push(element)
      if (UNREAD.has(tag)) continue
      addShown(element)
      walk(child, element, source)
    }
  }
}

/** An attribute or a directive of an element. Empty for spreads and the like. */
function attributesOf(one: SourceNode, source: Source): Attribute[] {
  const name = textOf(one, 'name')?.toLowerCase()
  const directive = DIRECTIVES[one.type]
  if (directive !== undefined && name !== undefined)
    return [{ name: `${directive}:${name}`, start: one.start, end: one.end, value: null, own: null }]
  if (one.type !== 'Attribute' || name === undefined) return []
  const values = Array.isArray(one.value) ? one.value.filter(isNode) : []
  const [only] = values
  const at = { name, start: one.start, end: one.end }
  if (one.value === true) return [{ ...at, value: '', own: null }]
  if (only?.type === 'Text' && values.length === 1)
    return [{ ...at, value: textOf(only, 'data') ?? '', own: { start: only.start, end: only.end } }]
  const bound = isNode(one.value) ? one.value : values.length === 1 ? only : undefined
  const expression = bound?.type === 'ExpressionTag' ? childOf(bound, 'expression') : undefined
  const said = expression === undefined ? undefined : saidBy(expression, source)
  return [{ ...at, value: said ?? null, own: null }]
}

/** The text of a string, a constant, `$t('key')` or `$_('key')`; `undefined` for other code. */
function saidBy(node: SourceNode, { constants, words }: Source): string | undefined {
  const name = nameOf(node)
  const known = literalOf(node) ?? (name === null ? undefined : constants.get(name))
  if (known !== undefined || node.type !== 'CallExpression') return known
  const [first, ...more] = listOf(node, 'arguments')
  const key = literalOf(first)
  if (!/^\$(t|_|i18n\.t)$/.test(nameOf(childOf(node, 'callee') ?? node) ?? '')) return undefined
  if (more.length > 0 || key === undefined) return undefined
  words.asked = true
  return words.of(key)
}
