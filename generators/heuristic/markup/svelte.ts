import {
  childOf,
  isNode,
  listOf,
  programOf,
  type SourceNode,
  textOf,
} from '../../../variants/script/syntax.js'
import { below, componentOf } from '../../../variants/svelte/component.js'
import { core } from '../../../variants/text.js'
import { type Constants, constantsOf, constantsWhenAsked, nameOf } from './constants.js'
import { type Attribute, collapsed, type Element, elementAt, type Page } from './tree.js'

const UNREAD = new Set('script style svg code pre textarea title svelte:head'.split(' '))

/** What a component's markup shows. A file with a byte order mark is left alone: its offsets would be one too small. */
export function sveltePage(path: string, text: string): Page | null {
  if (text.startsWith('\ufeff')) return null
  const { fragment, instance } = componentOf(text)
  const constants = constantsWhenAsked(() =>
    instance === null
      ? new Map()
      : constantsOf(
          programOf(text.slice(instance.start, instance.end), instance.syntax),
          text,
          instance.start,
        ),
  )
  const root = elementAt('', { start: 0, end: text.length }, null)
  walk(fragment, root, text, constants)
  return { path, text, dialect: 'svelte', root, lang: null }
}

function walk(node: SourceNode, parent: Element, text: string, constants: Constants): void {
  for (const child of below(node)) {
    if (child.type === 'Comment') continue
    if (child.type === 'Text') {
      const value = collapsed(text.slice(child.start, child.end))
      if (value !== '')
        parent.children.push({
          kind: 'text',
          value,
          quote: null,
          parent,
          ...core(text, child.start, child.end),
        })
    } else if (child.type === 'ExpressionTag') {
      const expression = childOf(child, 'expression')
      const constant = expression === undefined ? undefined : constants.get(nameOf(expression) ?? '')
      if (constant === undefined) parent.hasCode = true
      else parent.children.push({ kind: 'text', parent, ...constant })
    } else {
      const isBlock = /Block$|Tag$/.test(child.type)
      const tag = isBlock ? '#code' : (textOf(child, 'name') ?? '')
      const element = elementAt(tag, child, parent)
      element.attributes = listOf(child, 'attributes').flatMap((one): Attribute[] => {
        const name = textOf(one, 'name')?.toLowerCase()
        if (one.type !== 'Attribute' || name === undefined) return []
        const values = Array.isArray(one.value) ? one.value.filter(isNode) : []
        const [only] = values
        const at = { name, start: one.start, end: one.end }
        if (one.value === true) return [{ ...at, value: '', own: null }]
        return only?.type === 'Text' && values.length === 1
          ? [{ ...at, value: textOf(only, 'data') ?? '', own: { start: only.start, end: only.end } }]
          : [{ ...at, value: null, own: null }]
      })
      parent.children.push(element)
      if (!UNREAD.has(tag)) walk(child, element, text, constants)
    }
  }
}
