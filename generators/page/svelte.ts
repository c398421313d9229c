import type { CodeBlock } from '../../variants/component/helper-block.js'
import { childOf, isNode, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { below, svelteComponentOf } from '../../variants/svelte/component.js'
import { setOf } from '../lexicon/words.js'
import {
  type Constants,
  constantsIn,
  constantsWhenAsked,
  listNamesOf,
  nameOf,
  type Read,
  shownAt,
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
  type KeyedWords,
  type PageElement,
  type PageTree,
  type SourceRange,
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
    const own = readOf(instance, text, false)
    return module === null ? own : together(readOf(module, text, true), own)
  })
  const root = elementAt('', { start: 0, end: text.length }, null)
  walk(fragment, root, { text, constants, words })
  return { path, text, dialect: 'svelte', root, lang: null }
}

const readOf = (block: CodeBlock | null, text: string, isModule: boolean): Read =>
  block === null ? { strings: new Map(), lists: new Map() } : constantsIn(block, text, isModule)

interface Source {
  text: string
  constants: Constants
  words: KeyedTexts
}

function walk(node: SourceNode, parent: PageElement, source: Source): void {
  const { text, constants, words } = source
  for (const child of below(node)) {
    if (child.type === 'Comment') continue
    if (child.type === 'Text') addText(parent, text.slice(child.start, child.end), text, child)
    else if (child.type === 'ExpressionTag') {
      const expression = childOf(child, 'expression')
      const name = expression === undefined ? null : nameOf(expression)
      const own = name === null ? undefined : constants.get(name)
      const constant = own !== undefined && name !== null ? shownAt(own, name, child, null) : null
      const said = (expression && keyedBy(expression, text, words)) ?? constant
      if (said !== null || !addEither(parent, text, child)) addSaid(parent, said)
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
      element.attributes = listOf(child, 'attributes').flatMap((one) => attributesOf(one, text, constants))
      parent.children.push(element)
      if (UNREAD.has(tag)) continue
      addShown(element)
      walk(child, element, source)
    }
  }
}

/** An attribute or a directive of an element. Empty for spreads and the like. */
function attributesOf(one: SourceNode, text: string, constants: Constants): Attribute[] {
  const name = textOf(one, 'name')?.toLowerCase()
  const directive = DIRECTIVES[one.type]
  if (directive !== undefined && name !== undefined)
    return [{ name: `${directive}:${name}`, start: one.start, end: one.end, value: null, own: null }]
  if (one.type !== 'Attribute' || name === undefined) return []
  const values = Array.isArray(one.value) ? one.value.filter(isNode) : []
  const [only] = values
  const bound = isNode(one.value) ? one.value : only
  const expression = bound?.type === 'ExpressionTag' ? childOf(bound, 'expression') : undefined
  const named = expression === undefined ? null : nameOf(expression)
  const constant = named === null ? undefined : constants.get(named)
  const at = { name, start: one.start, end: one.end }
  if (constant !== undefined && named !== null && bound !== undefined && values.length <= 1) {
    // `{title}` is the attribute and its value in one.
    const isShort = text[one.start] === '{' && constant.isLoadedOnce === true
    return [
      {
        ...at,
        value: constant.value,
        own: null,
        ...(isShort ? {} : { text: shownAt(constant, named, valuePlace(text, one), '"') }),
      },
    ]
  }
  if (one.value === true) return [{ ...at, value: '', own: null }]
  return only?.type === 'Text' && values.length === 1
    ? [{ ...at, value: textOf(only, 'data') ?? '', own: { start: only.start, end: only.end } }]
    : [{ ...at, value: null, own: null }]
}

/** The value of an attribute, with its braces and quotes. */
const valuePlace = (text: string, { start, end }: SourceRange): SourceRange => ({
  start: text.indexOf('=', start) + 1,
  end,
})

/** The text of `$t('key')` or `$_('key')`, at the key's place. `null` for another call or an unknown key. */
function keyedBy(node: SourceNode, text: string, words: KeyedTexts): KeyedWords | null {
  const [first, ...more] = listOf(node, 'arguments')
  const key = textOf(first, 'value')
  const quote = first === undefined ? undefined : text[first.start]
  if (
    node.type !== 'CallExpression' ||
    !/^\$(t|_|i18n\.t)$/.test(nameOf(childOf(node, 'callee') ?? node) ?? '')
  )
    return null
  if (first === undefined || more.length > 0 || key === undefined || (quote !== '"' && quote !== "'"))
    return null
  words.asked = true
  const known = words.of(key)
  return known === undefined ? null : { ...known, quote, start: first.start, end: first.end }
}
